"""Compaction: the early part of a conversation gives its place to a summary; nothing is deleted.

Job: says where a history may be cut, asks the model for the summary, and puts it on the surface in the
place of what it stands for. By hand while the agent is idle, and by itself before a request that would
fill the window. Service: ``compaction`` (`service.COMPACTION`), mounted by `compaction.plugin`.
Logs ``compact/start`` ``compact/summary`` ``compact/end``; the checkpoint is a ``context/message``.
Who may import it: bundles, front ends; nothing re-exported, so that `checkpoint` stays cheap.
Source: core spec §10.
"""
