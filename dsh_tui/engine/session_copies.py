"""Copies of stored sessions: a fork at a turn boundary, a repaired one of a damaged log.

The original is only read; the copy is a new session that nobody has stored yet.
Source: core spec §3 (fork); design §3 rows 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.ids import new_session_id
from dsh_tui.engine.persistence.dialects.adoption import adopt
from dsh_tui.engine.persistence.errors import CorruptLogError
from dsh_tui.engine.persistence.repaired_copy import RepairedCopy, repaired_copy
from dsh_tui.engine.persistence.stored import LoadedSession, with_closers
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
        CorruptLogError: it is damaged, and has to be repaired first.
        SessionError: no turn has ended by then, or an event is of a type nobody here knows.
    """
    if stored.dialect:
        closed = with_closers(stored)
        boundary = last_boundary(closed.events, seq)
        meta, seed = adopt(stored, boundary if seq is not None else None)
    else:
        if stored.status != "ok":
            raise CorruptLogError(
                f"{stored.path} is damaged and can't be forked; `dsh-tui sessions repair "
                f"{stored.header['id']}` makes a copy that can",
                path=stored.path,
            )
        closed = with_closers(stored)
        boundary = last_boundary(closed.events, seq)
        seed = fork_seed(closed.events, boundary)
        meta = fork_meta(stored.header, len(seed))
    header = new_header(new_session_id(), clock.now_ms(), meta)
    return ForkedCopy(Session(header, clock=clock, seed=seed), boundary)


def copy_repaired(stored: LoadedSession) -> RepairedCopy:
    """A new session with everything that can be saved of a damaged one."""
    return repaired_copy(stored, new_session_id())
