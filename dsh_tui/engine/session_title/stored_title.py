"""Renames a session that lies on disk: opened under its lease, named, and closed again.

Source: core spec §10 (Titles), §4.6.
"""

from __future__ import annotations

from dsh_tui.engine.persistence.opened import opened
from dsh_tui.engine.persistence.seam import Persistence
from dsh_tui.engine.session.store import SessionStore
from dsh_tui.engine.session_title.title import rename


async def rename_stored(sessions: SessionStore, persistence: Persistence, session_id: str, title: str) -> str:
    """Log the title in a session that may be live here or not; the title as it was logged.

    Raises:
        ValueError: nothing printable is left of it.
        PersistenceError: another process writes the session, or it is damaged.
    """
    async with opened(sessions, persistence, session_id) as session:
        named = rename(session, title)
    return str(named.data["title"])
