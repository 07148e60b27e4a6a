"""How entries are told: in one phrase, and as rows. Names are as they are; whoever shows them escapes.

Source: design §3.14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.trust.manifest import Entry, Manifest
from dsh_tui.engine.trust.service import Standing

State: TypeAlias = Literal["new", "changed", "trusted"]
_NAMED: Final = 3


def in_short(entries: Sequence[Entry]) -> str:
    """``.dsh/plugins/x.py, AGENTS.md and 2 more``."""
    named = ", ".join(entry.path for entry in entries[:_NAMED])
    more = len(entries) - _NAMED
    return f"{named} and {more} more" if more > 0 else named


def with_states(manifest: Manifest, standing: Standing) -> list[tuple[Entry, State]]:
    """The entries in the manifest's order, each with how it stands."""
    trusted = {entry.key for entry in standing.trusted}
    changed = {entry.key for entry in standing.changed}

    def state(entry: Entry) -> State:
        return "trusted" if entry.key in trusted else "changed" if entry.key in changed else "new"

    return [(entry, state(entry)) for entry in manifest.entries]
