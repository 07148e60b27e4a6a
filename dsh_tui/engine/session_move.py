"""Moves a stored session to another directory, before anybody works in it again.

The move is an event of its log: from there on, tools, permissions and the screen go by it.
Source: design §4 (exec -C); core spec §3.
"""

from __future__ import annotations

from dsh_tui.engine.persistence.opened import opened
from dsh_tui.engine.persistence.seam import Persistence
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore


def move(session: Session, cwd: str) -> None:
    """Log that it works in ``cwd`` from here on, unless it does already."""
    if session.cwd != cwd:
        append_idle(session, "session-cwd", "session/cwd", {"cwd": cwd})


async def move_stored(sessions: SessionStore, persistence: Persistence, session_id: str, cwd: str) -> None:
    """`move` a session that may be live here or not.

    Raises:
        PersistenceError: another process writes it, or it is damaged.
    """
    async with opened(sessions, persistence, session_id) as session:
        move(session, cwd)
