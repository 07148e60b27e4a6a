"""What makes a call destructive, in a few words; the list is in docs/permissions.md.

Source: spec/ux §4 (approval dock contract).
"""

from __future__ import annotations

from dsh_tui.engine.permissions.facts import CallFacts


def danger(call: CallFacts) -> str | None:
    """Why the whole call must be seen before it is allowed; None if nothing is known. Never raises."""
    del call
    return None
