"""The concrete agent: an inbox in front of a session, and the signal of the turn that serves it.

Its methods never wait: they queue, log or fire the signal, and the driver does the rest.
``signal`` belongs to the running turn or, between turns, to the next one; a cancel that came
before a turn concerns only what it cleared, so the driver renews it.

Source: core spec §7, §8.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dsh_tui.engine.agent.agent import USER_CAUSE, AgentOptions, AgentStatus, Content, Errand, QueuedMessage
from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.errors import AgentBusyError, AgentDisposedError
from dsh_tui.engine.agent.events import AGENT_DROPPED, AGENT_ERROR, AGENT_QUEUED, AGENT_STATUS
from dsh_tui.engine.agent.inbox import Inbox
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.blocks import Block
from dsh_tui.engine.llm.messages import USER_SOURCE, Source, as_content
from dsh_tui.engine.loop.model_choice import ModelChoice
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore

DISPOSED_CAUSE: Mapping[str, Any] = {"kind": "disposed"}  # Any: JSON, open registry of causes


class ReactAgent:
    """An `Agent` that reasons, acts, and reads what came of it."""

    def __init__(self, session: Session, sessions: SessionStore, choice: ModelChoice) -> None:
        self.session = session
        self.choice = choice
        self.inbox = Inbox()
        self.signal = CancelSignal()
        self.ctx: Context
        self.events: AgentDispatch
        self._sessions = sessions
        self._status: AgentStatus = "idle"
        self._exited = asyncio.Event()
        self._waiters: list[asyncio.Future[None]] = []
        self._background: set[asyncio.Task[None]] = set()
        self._held: list[Mapping[str, Any]] | None = None  # Any: data of context/message
        self._errand: Errand | None = None

    def enter(self, ctx: Context, events: AgentDispatch) -> None:
        """Bind the agent to its own scope; called once, before anything can talk to it."""
        self.ctx, self.events = ctx, events

    @property
    def id(self) -> str:
        return self.session.id

    @property
    def options(self) -> AgentOptions:
        return self.choice.current

    @property
    def status(self) -> AgentStatus:
        return self._status

    @property
    def disposed(self) -> bool:
        return self._status == "disposed"

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        return self.inbox.queued

    # Talking to it

    def send(self, content: Content, *, source: Source | None = None) -> str:
        return self._queue(content, source, steering=False)

    def steer(self, content: Content, *, source: Source | None = None) -> str:
        return self._queue(content, source, steering=self._status == "running")

    def inject(self, content: Content, *, source: Source) -> None:
        self._require_alive()
        data = context_data(_blocks(content), source)
        if self._held is not None:
            self._held.append(data)
        elif self.session.open_turn is not None:
            self.session.append("context/message", data)
        else:
            self._inject_alone(data)

    def occupy(self, errand: Errand) -> None:
        self._require_alive()
        if self._occupied:
            raise AgentBusyError(f"{self.id}: something runs or waits already")
        self._errand = errand
        self.inbox.ring()

    def cancel(self, reason: str = "cancelled", cause: Mapping[str, Any] = USER_CAUSE) -> None:
        dropped = self.inbox.clear()
        self._errand = None
        if self._status != "running" and not dropped:
            return
        self.signal.cancel(reason, cause)
        self.drop(dropped)

    def select_model(self, provider: str, model: str, effort: str | None = None) -> None:
        self._require_alive()
        data = {"provider": provider, "model": model}
        if effort is not None:
            data["effort"] = effort
        alone = self.session.open_turn is None
        append_idle(self.session, "model", "model/selected", data)
        self.choice.select(provider, model, effort)
        if alone:
            self._flush_behind()

    async def when_idle(self) -> None:
        if self.disposed:
            await self._exited.wait()
        elif self._occupied:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter

    @property
    def _occupied(self) -> bool:
        return self._status == "running" or bool(self.inbox.queued) or self._errand is not None

    # What the driver and the step do to it

    @property
    def has_errand(self) -> bool:
        return self._errand is not None

    def take_errand(self) -> Errand | None:
        """What is to be done before the next turn."""
        errand, self._errand = self._errand, None
        return errand

    def set_status(self, status: AgentStatus) -> None:
        """Tell a change; the same again is not told, and nothing leaves ``disposed``."""
        if status == self._status or self.disposed:
            return
        self._status = status
        self.events.emit(AGENT_STATUS, status)

    def renew_signal(self) -> None:
        """Forget a cancel that has done its work."""
        if self.signal.cancelled:
            self.signal = CancelSignal()

    def settle(self) -> None:
        """Answer `when_idle` if nothing runs and nothing waits."""
        if self._occupied:
            return
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    @contextmanager
    def holding_injections(self) -> Iterator[None]:
        """Keep injected context back: results must stand directly behind their calls."""
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            for data in held:
                self.session.append("context/message", data)

    def request_stop(self) -> None:
        """Begin the end: no more work is taken, the running turn is cancelled."""
        if self.disposed:
            return
        dropped = self.inbox.clear()
        self._errand = None
        self.set_status("disposed")
        self.signal.cancel("the agent was disposed", DISPOSED_CAUSE)
        self.drop(dropped)
        self.inbox.ring()

    async def exited(self) -> None:
        """Wait until the loop is through and the log flushed."""
        await self._exited.wait()
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)

    def exit(self) -> None:
        """The loop is through."""
        self.set_status("disposed")
        self.drop(self.inbox.clear())
        self._exited.set()
        self.settle()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:  # Any: asyncio's own
        """Run work that the agent's end waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def drop(self, messages: tuple[QueuedMessage, ...]) -> None:
        """Tell that these will not be sent."""
        if messages:
            self.events.emit(AGENT_DROPPED, messages)

    def report(self, turn: int, step: int, error: BaseException) -> None:
        self.events.emit(AGENT_ERROR, turn, step, error)

    # Private

    def _inject_alone(self, data: Mapping[str, Any]) -> None:  # Any: data of context/message
        """A one-shot turn, because every event sits inside one."""
        turn = self.session.last_turn + 1
        trigger = {"kind": "injection", "source": data["source"]}
        self.session.append("turn/start", {"turn": turn, "trigger": trigger})
        self.session.append("context/message", data)
        self.session.append("turn/end", {"turn": turn, "reason": {"kind": "completed"}})
        self._flush_behind()

    def _queue(self, content: Content, source: Source | None, *, steering: bool) -> str:
        self._require_alive()
        message = QueuedMessage(new_id("msg"), _blocks(content), source or USER_SOURCE, steering)
        self.inbox.put(message)
        self.events.emit(AGENT_QUEUED, message)
        return message.id

    def _require_alive(self) -> None:
        if self.disposed:
            raise AgentDisposedError(f"{self.id}: the agent has ended; resume the session to go on")

    def _flush_behind(self) -> None:
        async def flush() -> None:
            try:
                await self._sessions.flush(self.session)
            except Exception as error:  # noqa: BLE001  # nobody waits for this flush; the event tells
                self.report(self.session.last_turn, 0, error)

        self.spawn(flush())


def context_data(content: tuple[Block, ...], source: Source) -> dict[str, Any]:  # Any: JSON of the event
    """The data of a ``context/message``."""
    return {"id": new_id("msg"), "content": content, "source": source}


def steering_data(
    turn: int, content: tuple[Block, ...], source: Source, *, message_id: str | None = None
) -> dict[str, Any]:  # Any: JSON of the event
    """The data of a ``steering/message``."""
    return {"id": message_id or new_id("msg"), "turn": turn, "content": content, "source": source}


def _blocks(content: Content) -> tuple[Block, ...]:
    return as_content(content if isinstance(content, str) else tuple(content))
