"""Adoption: an original's log as the start of a session of ours, which the next turn can go on from.

The copy holds every event, then a marker that says whose it was. A log that is damaged, or that breaks a
rule of ours, is copied record by record instead, with what is missing put back.
Source: design §3 row 4; core spec §0, §4.5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.persistence.errors import UnknownEventError
from dsh_tui.engine.persistence.repaired_copy import repaired_copy
from dsh_tui.engine.persistence.stored import LoadedSession, with_closers
from dsh_tui.engine.session.errors import SessionError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.fork import fork_meta, fork_seed, last_boundary
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun, Row, pack
from dsh_tui.engine.session.registry import EVENT_TYPES
from dsh_tui.engine.session.session import Session

IMPORTED = "session/imported"


def adopt(
    original: LoadedSession,
    boundary: int | None = None,
    *,
    providers: Collection[str] = (),
    model: Mapping[str, Any] | None = None,  # Any: JSON of model/selected
) -> tuple[dict[str, Any], Sequence[Event]]:  # Any: JSON of a header
    """Header fields and events of a copy, whole or up to the last turn boundary by ``boundary``.

    ``model`` is chosen in the copy where the original's provider is none of ``providers``.

    Raises:
        UnknownEventError: it holds an event that nobody may skip and nobody here knows.
        StoreError: no turn has ended by the boundary.
    """
    check_known(original)
    closed = with_closers(original)
    events = closed.events if _fits(closed) else repaired_copy(closed, closed.header["id"]).session.events
    if boundary is not None:
        events = fork_seed(events, last_boundary(events, boundary))
    rows: list[Row] = list(events.rows() if isinstance(events, EventLog) else pack(events))
    time = rows[-1].times[-1] if rows and isinstance(rows[-1], ChunkRun) else closed.header["createdAt"]
    time = rows[-1].time if rows and isinstance(rows[-1], Event) else time
    seq = len(events)
    if model is not None and (used := _provider(rows)) is not None and used not in providers:
        rows.append(Event("model/selected", seq, time, freeze(dict(model))))
        seq += 1
    marker = {"from": original.header["id"], "dialect": original.dialect, "path": str(original.path)}
    rows.append(Event(IMPORTED, seq, time, freeze(marker)))
    seed = EventLog.of(rows)
    meta = fork_meta(original.header, len(seed))
    del meta["delegationDepth"]  # whoever goes on from a subagent's session is a person
    meta.pop("origin", None)
    return meta, seed


def check_known(original: LoadedSession) -> None:
    """May this log be gone on from?

    Raises:
        UnknownEventError: see `adopt`.
    """
    for event in original.events:
        if event.type not in EVENT_TYPES and not event.ignorable:
            raise UnknownEventError(
                f"{original.path}: record {event.seq} is of type {event.type.removeprefix('dsh/')!r}, which "
                "dsh-tui does not know; the session can be read but not continued",
                path=original.path,
            )


def _fits(original: LoadedSession) -> bool:
    if original.status != "ok":
        return False
    try:
        Session(original.header, seed=original.events)
    except SessionError:
        return False
    return True


def _provider(rows: Sequence[Row]) -> str | None:
    for row in reversed(rows):
        if isinstance(row, Event) and row.type == "request/header":
            return str(row.data["header"]["config"]["provider"])
    return None
