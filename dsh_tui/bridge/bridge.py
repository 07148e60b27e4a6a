"""The bridge: the only place where engine meets screen. Views go out, intents come in.

It shows one session at a time, through a `Feed`; which one, and what can be done to it, is the
business of `OpenSessions`.
Source: design §2 (prompt to pixels).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from dsh_tui.bridge.approval_inbox import ApprovalInbox
from dsh_tui.bridge.feed import Feed
from dsh_tui.bridge.folder_trust import FolderTrust
from dsh_tui.bridge.model_access import ModelAccess
from dsh_tui.bridge.model_list import ModelList
from dsh_tui.bridge.open_sessions import OpenSessions
from dsh_tui.bridge.permission_desk import PermissionDesk
from dsh_tui.bridge.prompt_cost import prompt_cost
from dsh_tui.bridge.prompt_queue import PromptQueue
from dsh_tui.bridge.recording import Playback
from dsh_tui.bridge.session_compaction import SessionCompaction
from dsh_tui.bridge.session_history import SessionHistory
from dsh_tui.bridge.session_library import SessionLibrary
from dsh_tui.engine.agent.agent import Agent, AgentStatus, QueuedMessage
from dsh_tui.engine.agent.events import AGENT_DROPPED, AGENT_ERROR, AGENT_STATUS
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.product import Product
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import AgentState, AnswerIntent, ChatView, ModelRow, ProposalView
from dsh_tui.engine.sandbox.service import SANDBOX
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT
from dsh_tui.engine.session_title.title import clean_title, rename
from dsh_tui.engine.shell.seam import SHELL_PROGRESS

_log = logging.getLogger(__name__)
Post = Callable[[ChatView], None]
Notify = Callable[[str, str], None]
"""``(text, tone)``: one line that a person should see now."""


class Bridge:
    """Implements the screens' `ChatPort` on a booted engine."""

    def __init__(self, product: Product, *, post: Post, notify: Notify) -> None:
        self._product = product
        self._root = product.engine.root
        self._notify = notify
        self._inbox = ApprovalInbox(self._root, notify)
        self.access = ModelAccess(product, notify=notify, granted=self._begin_with_access)
        self._stopping: Agent | None = None
        self._queues: dict[str, PromptQueue] = {}
        self._models = ModelList(self._root[LLM], product.known_models())
        self._models_asked: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None
        self._hint = ("", "")
        self._feed = Feed(lambda fold: self.trust.marked(self._draw(fold)), post, product.price_of)
        self.permissions = PermissionDesk(
            product, lambda: None if self._agent is None else self._agent.session
        )
        self.compaction = SessionCompaction(self._root, lambda: self._agent, product.price_of)
        self.library = SessionLibrary(product, self._inbox.sessions)
        self._open = OpenSessions(product, self._feed, notify=notify, spawn=self._spawn)
        self.trust = FolderTrust(
            product, agent=lambda: self._agent, changed=self._feed.schedule, notify=notify, spawn=self._spawn
        )
        self._root.on(SESSION_EVENT, self._on_event, everywhere=True)
        self._root.on(AGENT_STATUS, self._on_status, everywhere=True)
        self._root.on(AGENT_DROPPED, self._on_dropped, everywhere=True)
        self._root.on(AGENT_ERROR, self._on_error, everywhere=True)
        self._root.on(SHELL_PROGRESS, self._on_progress, everywhere=True)

    # What screens read

    @property
    def view(self) -> ChatView:
        return self._feed.view

    @property
    def history(self) -> SessionHistory:
        return self._feed.history

    def models(self) -> Sequence[ModelRow]:
        """What is known now; the providers are asked behind it, for the next time."""
        if self._models_asked is None:
            self._models_asked = self._spawn(self._models.ask())
        return self._models.rows(self._feed.view.status)

    # Talking

    def send(self, text: str) -> None:
        if self.leave_recording(then=text) or self._sent_to_copy(text):
            return
        if self._refuse() and not self._open.lost_directory:
            return
        agent = self._agent
        if agent is None or agent.status == "running" or agent.queued or self._queue.moves:
            self._queue.put(text)  # without an agent: until the session has a directory again
            self._feed_queue()
        else:
            agent.send(text)
        self._feed.schedule()

    def _sent_to_copy(self, text: str) -> bool:
        """A session of another program is only read; what is sent to it begins a copy of ours."""
        if not self._open.copies or self.access.needs_key:
            return False

        async def go_on() -> None:
            await self._open.go_on_in_copy(self._feed.view.session_id)
            self.send(text)

        self._spawn(go_on())
        return True

    def steer(self, text: str) -> None:
        if not self._refuse():
            self._require_agent().steer(text)
            self._feed.schedule()

    def cancel(self) -> None:
        agent = self._agent
        if agent is None:
            return
        self._queue.pause()
        if agent.status == "running":
            self._stopping = agent
        agent.cancel("interrupted by the user")
        self._feed.post()

    def answer(self, approval_id: str, answer: AnswerIntent) -> None:
        self._inbox.answer(approval_id, answer)

    async def proposal(self, approval_id: str) -> ProposalView:
        return await self._inbox.proposal(approval_id)

    def unqueue(self, index: int) -> str:
        text = self._queue.remove(index)
        self._feed.schedule()
        return text

    def resume_queue(self) -> None:
        self._queue.resume()
        self._feed_queue()
        self._feed.schedule()

    def select_model(self, provider: str, model: str, effort: str) -> None:
        if not self._refuse():
            self._require_agent().select_model(provider, model, effort or None)
            self._feed.schedule()

    def select_mode(self, mode: str) -> None:
        if self._refuse():
            return
        try:
            self._root[MODES].set(self._require_agent().session, mode)
        except HarnessError as error:  # unknown, or not to be kept on this machine: the mode stays
            self._notify(error.message, "warning")
        else:
            if mode == "sandbox":
                self._notify(self._root[SANDBOX].enforcement, "info")
        self._feed.schedule()

    def offers_mode(self, mode: str) -> bool:
        return self._root[MODES].offers(mode)

    def rename(self, title: str) -> None:
        if clean_title(title) and not self._refuse():
            session = self._require_agent().session
            rename(session, title)
            self._spawn(self._product.sessions.flush(session))

    # Sessions

    async def new_session(self, prompt: str = "") -> None:
        await self._open.begin({"cwd": str(self._product.cwd)})
        if prompt:
            self.send(prompt)

    async def fork_session(self, session_id: str, boundary: int | None = None) -> None:
        await self._open.fork(session_id, boundary)

    async def open_session(self, session_id: str, *, named: bool = False) -> None:
        await self._open.go_to(session_id, named=named)

    async def move_session(self, directory: str) -> None:
        await self._open.move_to(directory)
        self._feed_queue()

    async def play(self, playback: Playback) -> None:
        await self._open.play(playback)

    @property
    def leaves_recording(self) -> bool:
        playback = self._open.playback
        return playback is not None and playback.bundled and not self.access.needs_key

    def leave_recording(self, then: str = "") -> bool:
        if not self.leaves_recording:
            return False
        self._open.forget_recording()  # a second key must not leave twice
        self._spawn(self.new_session(then))
        return True

    # Set-up and end

    async def _begin_with_access(self) -> None:
        """A key or a server was given: go on where one is, or begin."""
        if self._agent is None and not self.access.needs_key:
            await self.new_session()
        self._feed.schedule()

    def start_in_mode(self, mode: str) -> None:
        """The mode that the command line names holds for the open session, whatever its log says."""
        self._open.start_in(mode)
        self._feed.schedule()

    def resume_hint(self) -> tuple[str, str]:
        """Id and log of the session that was open last; empty when it has no log."""
        if self._closing is not None:
            return self._hint
        session_id = self._feed.view.session_id
        path = self._root[PERSISTENCE].locate(session_id) if self._agent is not None else None
        return (session_id, str(path)) if path is not None else ("", "")

    def unsent(self) -> list[str]:
        """What still waits to be sent, of every session."""
        return [text for queue in self._queues.values() for text in queue.waiting]

    async def close(self) -> None:
        """End every agent, flush, and give the engine back. Every call waits for the same end."""
        if self._closing is None:
            self._hint = self.resume_hint()
            self._closing = asyncio.get_running_loop().create_task(self._dispose())
        await asyncio.shield(self._closing)  # who waits no longer cuts nothing short

    async def _dispose(self) -> None:
        self._feed.end()
        for task in self._tasks:
            task.cancel()
        try:  # before the desk goes: a question that waits is cancelled, not unanswerable
            await self._open.end_all()
        finally:
            await self._product.dispose()

    def tell_change(self, text: str, tone: str) -> None:
        """Say what became of a plugin, and what that costs the session that is shown."""

        async def tell() -> None:
            agent = self._agent
            cost = await prompt_cost(self._root, agent, self._feed.history) if agent is not None else ""
            shown = "warning" if cost and tone != "error" else tone
            self._notify(f"{text} · {cost}" if cost else text, shown)

        self._spawn(tell())

    # Following the engine

    @property
    def _agent(self) -> Agent | None:
        return self._open.agent

    @property
    def _queue(self) -> PromptQueue:
        return self._queues.setdefault(self._open.session_id, PromptQueue())

    def _refuse(self) -> bool:
        """Whether nothing can be done to this session; says why."""
        if self._agent is None:
            self._notify(self._why_read_only() or "No session is open.", "warning")
        return self._agent is None

    def _why_read_only(self) -> str:
        return self._open.why_read_only(keyless=self.access.needs_key)

    def _require_agent(self) -> Agent:
        assert self._agent is not None
        return self._agent

    def _on_event(self, session: Session, event: Event) -> None:
        if self._open.shows(session):
            if event.type == "turn/end":
                self._stopping = None
            self._feed.schedule()
        elif event.type in ("approval/asked", "approval/decided"):  # it shows whichever session asks
            self._feed.schedule()

    def _on_status(self, agent: Agent, status: AgentStatus) -> None:
        if agent is self._agent:
            if status == "idle":
                self._stopping = None
                self._feed_queue()
            self._feed.schedule()

    def _on_dropped(self, agent: Agent, dropped: tuple[QueuedMessage, ...]) -> None:
        """A cancel cleared the inbox; what a person typed goes back to the queue, paused."""
        queue = self._queues.setdefault(agent.id, PromptQueue())
        queue.put_back(_typed(dropped))
        queue.pause()

    def _on_error(self, agent: Agent, _turn: int, step: int, error: BaseException) -> None:
        if step == 0:  # outside any step the log can't tell it
            self._notify(error_chain(error), "error")

    def _on_progress(self, session_id: str, call_id: str, line: str) -> None:
        if self._agent is not None and session_id == self._agent.id:
            self._feed.note_progress(call_id, line)

    def _feed_queue(self) -> None:
        agent = self._agent
        if agent is None or agent.status != "idle" or agent.queued:
            return
        text = self._queue.take()
        if text is not None:
            agent.send(text)

    # Drawing

    def _draw(self, fold: SessionFold) -> ChatView:
        view = fold.view(
            queue=self._queue.waiting,
            queue_paused=self._queue.paused,
            read_only=self._why_read_only(),
            state=self._state(),
        )
        agent = self._agent
        elsewhere = self._inbox.elsewhere(self._open.session_id)
        if agent is None:
            view = self._open.marked(view).at_rest(keep_approvals=self._open.playback is not None)
            return replace(view, approvals=view.approvals + elsewhere)
        # What holds for the next request is the agent's to say; the log knows only what was used.
        wanted = agent.options
        provider, model = wanted.provider or "", wanted.model or ""
        status = replace(
            view.status,
            provider=provider,
            model=model,
            effort=wanted.effort or "",
            context_window=self._root[LLM].context_window(provider, model),
            mode=self._root[MODES].current(agent.session),
        )
        steering = _typed(message for message in agent.queued if message.steering)
        return replace(view, status=status, steering=steering, approvals=view.approvals + elsewhere)

    def _state(self) -> AgentState | None:
        if self._agent is not None and self._agent.status == "disposed":
            return "disposed"
        return "stopping" if self._stopping is not None and self._stopping is self._agent else None

    def _spawn(self, work: Awaitable[None]) -> asyncio.Task[None]:
        async def run() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001  # nobody waits for it; the person is told
                self._notify(error_chain(error), "error")

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _typed(messages: Iterable[QueuedMessage]) -> tuple[str, ...]:
    """The texts of those that a person wrote."""
    return tuple(text_of(one.content) for one in messages if one.source.get("kind") == "user")
