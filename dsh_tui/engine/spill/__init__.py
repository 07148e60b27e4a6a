"""Spill: results too large for the conversation, kept whole in private files.

Job: the `SpillStore` (service key `SPILL`) that shell and search write to, and a policy that
replaces oversized tool results by a preview and a path. Failure keeps the original.

Source: capabilities B2, B3, B6.
"""
