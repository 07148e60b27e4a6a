"""Stored sessions: written behind the conversation's back, read whatever state they are in.

Job: make the events of live sessions durable, and give stored ones back.
Service: ``persistence`` (`seam.PERSISTENCE`), mounted by `persistence.jsonl.plugin`.
Who may import it: resume, browsers and front ends use the seam; only bundles import the JSONL store.
`stored` and `jsonl.reader` need no kernel.
Events: ``persistence/state``, ``persistence/mended``.
Extension points: another store provides the same service; `seam.Leases` guards the writers.
Left out on purpose: search (the derived index). Logs of other programs are read only, by `dialects`.
Source: core spec §4.
"""
