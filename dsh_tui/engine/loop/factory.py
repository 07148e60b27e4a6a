"""The factory: makes agents that run, and ends them in the one order that loses nothing.

An agent's life is one effect: session, id, scope, loop. It is undone in reverse: the loop is asked
to stop and awaited, so that its ``turn/end`` and last flush are captured; then the agent's scope
unwinds, then its id is free, and last the session leaves its store.

Source: core spec §7 (Registry); seed 001.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.agent.agent import AgentHandle, AgentOptions, SessionStart
from dsh_tui.engine.agent.default_model import DEFAULT_MODEL
from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.errors import AgentError, AgentExistsError
from dsh_tui.engine.agent.events import AGENT_SESSION_START
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent, ResumeAgent
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.loop.driver import drive
from dsh_tui.engine.loop.model_choice import ModelChoice
from dsh_tui.engine.loop.react_agent import ReactAgent
from dsh_tui.engine.loop.request_log import RequestLog
from dsh_tui.engine.loop.services import LoopServices
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.scope import create_scope
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.tools.registry import TOOLS

Undo = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What an agent is made from."""

    session_id: str | None
    meta: Mapping[str, Any]  # Any: JSON of the session header
    seed: Sequence[Event] | None
    options: AgentOptions
    start: SessionStart
    owner: Context | None


class LoopFactory:
    """Implements `AgentFactory` with this package's loop. Agents end with its plugin at the latest."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def create(self, options: CreateAgent) -> AgentHandle:
        plan = _Plan(
            session_id=options.session_id,
            meta=options.meta,
            seed=options.seed,
            options=options.options,
            start="startup",
            owner=options.owner,
        )
        return self._bring_up(plan)

    async def resume(self, options: ResumeAgent) -> AgentHandle:
        persistence = self._ctx.get(PERSISTENCE)
        if persistence is None:
            raise AgentError(f"{options.session_id}: no session storage is loaded, so nothing can be resumed")
        self._require_unused(options.session_id)
        stored = await persistence.prepare(options.session_id)
        plan = _Plan(
            session_id=options.session_id,
            meta=stored.header,
            seed=stored.events,
            options=options.options,
            start="resume",
            owner=options.owner,
        )
        try:
            self._require_unused(options.session_id)
            return self._bring_up(plan)
        except BaseException:  # raised again; what was begun is undone first
            await persistence.discard(options.session_id)
            raise

    def _require_unused(self, session_id: str) -> None:
        self._ctx[AGENTS].require_free(session_id)
        if self._ctx[SESSIONS].get(session_id) is not None:
            raise AgentExistsError(f"{session_id}: the session is live already")

    def _bring_up(self, plan: _Plan) -> AgentHandle:
        born: list[ReactAgent] = []
        life = self._ctx.effect(lambda: self._live(plan, born))

        async def dispose() -> None:
            await life()

        if plan.owner is not None:
            plan.owner.effect(lambda: dispose)
        return AgentHandle(born[0], dispose)

    def _live(self, plan: _Plan, born: list[ReactAgent]) -> Iterator[Undo]:
        ctx, sessions, agents = self._ctx, self._ctx[SESSIONS], self._ctx[AGENTS]
        if plan.session_id is not None:
            agents.require_free(plan.session_id)
        session, detach = sessions.create_owned(id=plan.session_id, meta=plan.meta, seed=plan.seed)
        yield detach
        default = ctx.get(DEFAULT_MODEL)
        choice = ModelChoice(session, plan.options, default() if default is not None else AgentOptions())
        agent = ReactAgent(session, sessions, choice)
        yield agents.enter(ctx, agent)
        scope = create_scope(ctx, agent)
        yield scope.dispose
        events = AgentDispatch(ctx, agent)
        agent.enter(scope.ctx, events)
        born.append(agent)
        agents.announce(ctx, agent)
        events.emit(AGENT_SESSION_START, plan.start)
        services = LoopServices(
            sessions=sessions,
            llm=ctx[LLM],
            system_prompt=ctx[SYSTEM_PROMPT],
            tools=ctx[TOOLS],
            events=events,
        )
        requests = RequestLog(session, "resume" if plan.start == "resume" else "initial")
        agent.spawn(drive(agent, services, requests))

        def stop() -> Awaitable[None]:
            agent.request_stop()
            return agent.exited()

        yield stop
