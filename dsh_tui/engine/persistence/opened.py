"""A stored session opened for one change: under its lease, without an agent, and closed again.

Source: core spec §4.1, §4.6.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dsh_tui.engine.persistence.seam import Persistence
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore


@asynccontextmanager
async def opened(sessions: SessionStore, persistence: Persistence, session_id: str) -> AsyncIterator[Session]:
    """The session, live until the block ends; one that is live here already stays so.

    What was appended is durable when the block has ended.

    Raises:
        PersistenceError: another process writes it, it is damaged, or it can't be written.
    """
    live = sessions.get(session_id)
    if live is not None:
        yield live
        await sessions.flush(live)
        return
    loaded = await persistence.prepare(session_id)
    try:
        session, end = sessions.create_owned(id=session_id, meta=loaded.header, seed=loaded.events)
    except BaseException:  # raised again; what was begun is undone first
        await persistence.discard(session_id)
        raise
    try:
        yield session
        await sessions.flush(session)
    finally:
        await end()
