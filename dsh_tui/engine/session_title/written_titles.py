"""Plugin: lets the session's own model write a title once its first turn has completed.

One cheap call beside the conversation; whatever goes wrong with it is nobody's trouble, and the first
words stay. A result that comes too late (the session has ended, or was renamed) is never asked for to
the end: its signal fires at once. For front ends with a list of sessions to read; `exec` makes no
call but its turn's. Source: core spec §10 (Titles); capabilities A3, B5.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from weakref import WeakSet

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.request import OneShotRequest
from dsh_tui.engine.llm.service import LLM, LlmService
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_CREATED, SESSION_DISPOSED, SESSION_EVENT, SESSIONS
from dsh_tui.engine.session_title.exchange import PURPOSE, completed_exchange, title_request
from dsh_tui.engine.session_title.title import written_title

name = "written-titles"
inject = (SESSIONS, LLM)

_log = logging.getLogger(__name__)


class _Writer:
    """Which sessions still want a title, and the calls that are under way."""

    def __init__(self, ctx: Context) -> None:
        self._sessions, self._llm = ctx[SESSIONS], ctx[LLM]
        self._settled: WeakSet[Session] = WeakSet()
        self._asking: dict[str, CancelSignal] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def notice(self, session: Session) -> None:
        """A session that has been talked in keeps the title it has."""
        events = (row for row in session.events.slots() if isinstance(row, Event))
        if any(event.type == "assistant/message" or _is_lasting(event) for event in events):
            self._settled.add(session)

    def read(self, session: Session, event: Event) -> None:
        if _is_lasting(event):
            self._settled.add(session)
            self.forget(session)
        elif event.type == "turn/end" and session not in self._settled:
            self._ask(session, event.data["turn"])

    def forget(self, session: Session) -> None:
        """No title is wanted any more."""
        signal = self._asking.pop(session.id, None)
        if signal is not None:
            signal.cancel("no title is wanted any more")

    async def stop(self) -> None:
        for signal in tuple(self._asking.values()):
            signal.cancel("titles are no longer written")
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _ask(self, session: Session, turn: int) -> None:
        exchange = completed_exchange(session.events.slots(), turn)
        if exchange is None:
            return
        self._settled.add(session)
        signal = CancelSignal()
        request = title_request(session, exchange, signal)
        if request is None:
            return
        self._asking[session.id] = signal
        task = asyncio.get_running_loop().create_task(self._write(session, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write(self, session: Session, request: OneShotRequest) -> None:
        try:
            title = written_title(await request.signal.race(_answer(self._llm, request)))
            if self._asking.pop(session.id, None) is None:
                return
            if title:
                append_idle(session, PURPOSE, "session/title", {"title": title, "source": "model"})
                await self._sessions.flush(session)
        except Cancelled:
            pass
        except Exception as error:  # noqa: BLE001  # a session without such a title lacks nothing
            self._asking.pop(session.id, None)
            _log.debug("session %s: no title was written: %s", session.id, error_chain(error))


def apply(ctx: Context, _config: object = None) -> None:
    """Watch every session for as long as this plugin lives."""
    writer = _Writer(ctx)
    for session in ctx[SESSIONS].list():
        writer.notice(session)
    ctx.effect(lambda: writer.stop)
    ctx.on(SESSION_CREATED, writer.notice)
    ctx.on(SESSION_EVENT, writer.read)
    ctx.on(SESSION_DISPOSED, writer.forget)


def _is_lasting(event: Event) -> bool:
    """Whether it is a title that nothing but another of its kind replaces."""
    return event.type == "session/title" and event.data["source"] != "fallback"


async def _answer(llm: LlmService, request: OneShotRequest) -> str:
    """The whole text; empty if there is none, or not all of it."""
    reply = Assembler()
    async with aclosing(llm.stream(request)) as chunks:
        async for chunk in chunks:
            reply.add(chunk)
    finish = reply.finish or {"kind": "none"}
    if finish["kind"] != "stop":
        _log.debug("session %s: no title was written: %s", request.session_id, finish)
        return ""
    return text_of(reply.blocks())
