"""Plugin: gives a session its first words as title, within the turn of its first prompt.

Source: core spec §10 (Titles).
"""

from __future__ import annotations

from weakref import WeakSet

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_CREATED, SESSION_EVENT, SESSIONS
from dsh_tui.engine.session_title.title import fallback_title

name = "session-title"
inject = (SESSIONS,)


def apply(ctx: Context, _config: object = None) -> None:
    """Watch every session for as long as this plugin lives."""
    titled: WeakSet[Session] = WeakSet()

    def notice(session: Session) -> None:
        rows = session.events.slots()
        if any(isinstance(row, Event) and row.type == "session/title" for row in rows):
            titled.add(session)

    def read(session: Session, event: Event) -> None:
        if event.type == "session/title":
            titled.add(session)
        elif event.type == "user/message" and session not in titled:
            title = fallback_title(text_of(event.data["content"]))
            if title:
                session.append("session/title", {"title": title, "source": "fallback"})

    # Sessions that were there before this plugin are not announced again.
    for session in ctx[SESSIONS].list():
        notice(session)
    ctx.on(SESSION_CREATED, notice)
    ctx.on(SESSION_EVENT, read)
