"""Logs of the original DeepSeek Harness, read and never written: versions 0 to 4, raw or zstd.

`frames` gives text, `envelope` rows, one importer a dialect our events with their seqs, `reader` the
session. `OriginalSessions` finds them; `adoption` turns one into the start of a session of ours.
Source: upstream format; core spec §0 (reading other logs); design §3 row 4.
"""
