"""Forks: where a log may be cut, and the header of what grows from the cut. Pure.

Source: core spec §3 (store, fork).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_tui.engine.session.errors import StoreError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import SessionHeader
from dsh_tui.engine.session.log import EventLog


def fork_seed(events: Sequence[Event], boundary: int | None = None) -> Sequence[Event]:
    """The events up to and with ``boundary`` (the last one by default).

    Raises:
        StoreError: ``INVALID_BOUNDARY`` for a seq that is not there, ``OPEN_TURN`` for one inside a turn.
    """
    last = len(events) - 1 if boundary is None else boundary
    if boundary is not None and not 0 <= boundary < len(events):
        known = f"0..{len(events) - 1}" if events else "none, the log is empty"
        raise StoreError(f"cannot fork at seq {boundary}: the seqs are {known}", code="INVALID_BOUNDARY")
    turn = _open_turn_at(events, last)
    if turn is not None:
        raise StoreError(
            f"cannot fork at seq {last}: turn {turn} is open there; choose the end of a turn",
            code="OPEN_TURN",
        )
    return events.prefix(last + 1) if isinstance(events, EventLog) else events[: last + 1]


def last_boundary(events: Sequence[Event], seq: int | None = None) -> int:
    """The last place at or before ``seq`` where a fork may be cut: outside every turn.

    Raises:
        StoreError: ``INVALID_BOUNDARY``, when no turn has ended by then.
    """
    start = len(events) - 1 if seq is None else min(seq, len(events) - 1)
    for at in range(start, -1, -1):
        if events[at].type in ("turn/end", "session/end-seed"):
            return at
    if seq is None:
        raise StoreError("there is nothing to fork: no turn has ended", code="INVALID_BOUNDARY")
    raise StoreError(f"cannot fork at seq {seq}: no turn has ended by then", code="INVALID_BOUNDARY")


def fork_meta(parent: SessionHeader, seed_length: int) -> dict[str, Any]:  # Any: JSON of a header
    """Header fields of a fork."""
    inherited = ("cwd", "origin", "delegationDepth", "agentPreset")
    meta: dict[str, Any] = {name: parent[name] for name in inherited if name in parent}  # type: ignore[literal-required]  # names of the TypedDict
    return {**meta, "parentSession": parent["id"], "seedLength": seed_length}


def _open_turn_at(events: Sequence[Event], last: int) -> int | None:
    for seq in range(last, -1, -1):
        event = events[seq]
        if event.type == "turn/end":
            return None
        if event.type == "turn/start":
            turn: int = event.data["turn"]
            return turn
    return None
