"""Copies of stored sessions: a fork at a turn boundary, a repaired one of a damaged log.

The original is only read; the copy is a new session that nobody has stored yet.
Source: core spec §3 (fork); design §3 rows 4 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.ids import new_session_id
from dsh_tui.engine.persistence.dialects.adoption import adopt
from dsh_tui.engine.persistence.repaired_copy import RepairedCopy, repaired_copy
from dsh_tui.engine.persistence.stored import LoadedSession, salvaged, with_closers
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.fork import fork_meta, fork_seed, last_boundary
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session


@dataclass(frozen=True, slots=True)
class ForkedCopy:
    """The fork, and where it was cut: not always where it was asked for."""

    session: Session
    boundary: int
    """The last seq of the original that is in it."""


def forked_copy(stored: LoadedSession, seq: int | None = None, *, clock: Clock = SYSTEM_CLOCK) -> ForkedCopy:
    """A new session that starts as this one did, up to the last turn boundary at or before ``seq``.

    Raises:
        SessionError: no turn has ended by then, or an event is of a type nobody here knows.
    """
    if stored.dialect:
        closed = with_closers(stored)
        boundary = last_boundary(closed.events, seq)
        meta, seed = adopt(stored, boundary if seq is not None else None)
    else:
        fork = own_fork(stored if stored.damaged else with_closers(stored), seq)
        meta, seed, boundary = fork.meta, fork.seed, fork.boundary
    header = new_header(new_session_id(), clock.now_ms(), meta)
    return ForkedCopy(Session(header, clock=clock, seed=seed), boundary)


@dataclass(frozen=True, slots=True)
class OwnFork:
    """What a fork of a session of ours begins with."""

    meta: dict[str, Any]  # Any: JSON of a header
    seed: Sequence[Event]
    boundary: int


def own_fork(stored: LoadedSession, seq: int | None) -> OwnFork:
    """A fork up to the last turn boundary at or before ``seq``; of a damaged log, of what can be saved of it.

    Without ``seq`` it is all of it, and what a crash or damage left open is closed.

    Raises:
        SessionError: no turn has ended by then.
    """
    events = salvaged(stored)
    if stored.damaged:
        # Seqs may jump here, so places are not seqs; in the repaired copy they are again.
        if seq is not None or not events:
            events = [event for event in events if seq is None or event.seq <= seq]
            events = events[: last_boundary(events) + 1]
        boundary = events[-1].seq
        copy = repaired_copy(replace(stored, events=events), stored.header["id"])
        seed: Sequence[Event] = copy.session.events
    else:
        boundary = last_boundary(events, seq)
        seed = fork_seed(events, boundary)
    return OwnFork(fork_meta(stored.header, len(seed)), seed, boundary)


def copy_repaired(stored: LoadedSession) -> RepairedCopy:
    """A new session with everything that can be saved of a damaged one."""
    return repaired_copy(replace(stored, events=salvaged(stored)), new_session_id())
