"""The store of live sessions: create, find, fork, flush.

A session is prepared (built, unknown to anyone), entered (its id is taken) and announced
(listeners may veto by raising, which undoes the entry). Ids are checked again at entry,
because preparing may have waited. Leaving while it is announced or published is put off
until that has unwound. Source: core spec §3 (store, bus).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.ids import new_session_id
from dsh_tui.engine.kernel import Context, Disposer, Emit, Parallel, ServiceKey
from dsh_tui.engine.session.errors import StoreError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.fork import fork_meta, fork_seed
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Guard, Session

SESSION_CREATED: Emit[[Session]] = Emit("session/created")
"""Announced raw: a listener that raises vetoes the session."""
SESSION_DISPOSED: Emit[[Session]] = Emit("session/disposed")
"""The session has left the store; also after a veto."""
SESSION_EVENT: Emit[[Session, Event]] = Emit("session/event")
"""One event was committed. In seq order for one session, contained, at most once."""
SESSION_FLUSH: Parallel[[Session]] = Parallel("session/flush")
"""Make everything so far durable."""

_NO_META: Mapping[str, Any] = {}  # Any: JSON of a header

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Entry:
    """A session in the store and where it is between entry and leaving."""

    session: Session
    announcing: bool = False
    live: bool = False


class SessionStore:
    """All live sessions by id. Service ``sessions``."""

    def __init__(self, ctx: Context, clock: Clock = SYSTEM_CLOCK) -> None:
        self._ctx = ctx
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._leaving: set[str] = set()
        self._guards: list[Guard] = []

    def create(
        self,
        *,
        id: str | None = None,  # noqa: A002  # the header's own word
        meta: Mapping[str, Any] = _NO_META,  # Any: JSON of a header
        seed: Sequence[Event] | None = None,
    ) -> Session:
        """A new live session. ``meta`` are header fields (or a whole header, for a resume).

        Raises:
            StoreError: ``ALREADY_EXISTS``.
            SessionError: a bad header or seed.
            Exception: a listener's veto; the id is free again then.
        """
        session = self.prepare(id=id, meta=meta, seed=seed)
        self.enter(session)
        self.announce(session)
        return session

    def create_owned(
        self,
        *,
        id: str | None = None,  # noqa: A002  # the header's own word
        meta: Mapping[str, Any] = _NO_META,  # Any: JSON of a header
        seed: Sequence[Event] | None = None,
    ) -> tuple[Session, Disposer]:
        """`create`, and the one way to end it: flush, then leave. A failed flush is logged, not raised."""
        session = self.create(id=id, meta=meta, seed=seed)

        async def end() -> None:
            try:
                await self.flush(session)
            except Exception:  # noqa: BLE001  # a full disk must not keep a session from ending
                _log.exception("session %s: the last flush failed", session.id)
            self.detach(session)

        return session, self._ctx.effect(lambda: end)

    def prepare(
        self,
        *,
        id: str | None = None,  # noqa: A002  # the header's own word
        meta: Mapping[str, Any] = _NO_META,  # Any: JSON of a header
        seed: Sequence[Event] | None = None,
    ) -> Session:
        """A session that nobody knows yet."""
        session_id = new_session_id() if id is None else id
        self._check_free(session_id)
        header = new_header(session_id, self._clock.now_ms(), meta)
        return Session(header, clock=self._clock, publish=self._publish, seed=seed, guards=self._guards)

    def enter(self, session: Session) -> None:
        """Take the id."""
        self._check_free(session.id)
        self._entries[session.id] = _Entry(session)

    def announce(self, session: Session) -> None:
        """Tell the listeners; if one raises, tell them that the session is gone and pass it on."""
        entry = self._entries[session.id]
        entry.announcing = True
        try:
            self._ctx.emit_raw(SESSION_CREATED, session)
        except BaseException:  # raised again; what was begun is undone first
            entry.announcing = False
            self._leave(entry)
            raise
        entry.announcing, entry.live = False, True
        if session.id in self._leaving:
            self._leave(entry)

    def get(self, id: str) -> Session | None:  # noqa: A002  # the header's own word
        entry = self._entries.get(id)
        return None if entry is None else entry.session

    def list(self) -> tuple[Session, ...]:
        return tuple(entry.session for entry in self._entries.values())

    def fork(self, id: str, boundary: int | None = None, *, new_id: str | None = None) -> Session:  # noqa: A002  # as above
        """A new session seeded with the events up to and with ``boundary`` (the last one by default).

        Raises:
            StoreError: ``SESSION_NOT_FOUND``, ``NOT_LIVE``, ``ALREADY_EXISTS``, ``INVALID_BOUNDARY``
                or ``OPEN_TURN``.
        """
        entry = self._entries.get(id)
        if entry is None:
            raise StoreError(f"no live session {id}", code="SESSION_NOT_FOUND")
        if not entry.live or id in self._leaving:
            raise StoreError(f"session {id} is not live", code="NOT_LIVE")
        if new_id is not None:
            self._check_free(new_id)
        parent = entry.session
        seed = fork_seed(parent.events, boundary)
        return self.create(id=new_id, meta=fork_meta(parent.header, len(seed)), seed=seed)

    def guard(self, ctx: Context, guard: Guard) -> Disposer:
        """Show every event of every session to ``guard`` before it is committed; its raise keeps it out."""

        def install() -> Callable[[], None]:
            self._guards.append(guard)
            return lambda: self._guards.remove(guard)

        return ctx.effect(install)

    async def flush(self, session: Session) -> None:
        """Everything so far is durable when this returns.

        Raises:
            Exception: what the first failing listener raised, after all have settled.
        """
        await self._ctx.parallel(SESSION_FLUSH, session)

    def detach(self, session: Session) -> None:
        """Take the session out: no more appends, its id is free. A second call changes nothing."""
        entry = self._entries.get(session.id)
        if entry is None or entry.session is not session:
            return
        if entry.announcing or session.publishing:
            self._leaving.add(session.id)
            return
        self._leave(entry)

    def detach_all(self) -> None:
        """For the end of the store itself."""
        for session in self.list():
            self.detach(session)

    def _publish(self, session: Session, event: Event) -> None:
        self._ctx.emit(SESSION_EVENT, session, event)
        if self._leaving and session.id in self._leaving and not session.has_unpublished:
            self._leave(self._entries[session.id])

    def _leave(self, entry: _Entry) -> None:
        session = entry.session
        if self._entries.get(session.id) is not entry:
            return
        session.dispose()
        del self._entries[session.id]
        self._leaving.discard(session.id)
        self._ctx.emit(SESSION_DISPOSED, session)

    def _check_free(self, session_id: str) -> None:
        if session_id in self._entries:
            raise StoreError(f"session {session_id} exists already", code="ALREADY_EXISTS")


SESSIONS: ServiceKey[SessionStore] = ServiceKey("sessions")
