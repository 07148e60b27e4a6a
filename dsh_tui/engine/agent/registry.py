"""The registry of live agents, and the seam through which they are made.

Whoever provides the loop mounts the one `AgentFactory`; everybody else asks the registry.
One live agent a session; an agent's id is its session's.

Source: core spec §7 (Registry).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from dsh_tui.engine.agent.agent import Agent, AgentHandle, AgentOptions
from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.errors import AgentError, AgentExistsError, NoAgentFactoryError
from dsh_tui.engine.agent.events import AGENT_CREATED, AGENT_DISPOSED
from dsh_tui.engine.kernel import Context, Disposer, ServiceKey

Undo: TypeAlias = Callable[[], object]

if TYPE_CHECKING:
    from dsh_tui.engine.session.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateAgent:
    """A new agent on a new session. ``seed`` and ``meta`` go to the session as they are."""

    session_id: str | None = None
    options: AgentOptions = field(default_factory=AgentOptions)
    meta: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON of the session header
    seed: Sequence[Event] | None = None
    owner: Context | None = None
    """The agent ends with this fiber too; without one it ends with the loop's plugin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeAgent:
    """An agent on a stored session. Options that are ``None`` come from its log."""

    session_id: str
    options: AgentOptions = field(default_factory=AgentOptions)
    owner: Context | None = None


class AgentFactory(Protocol):
    """Makes running, registered agents."""

    def create(self, options: CreateAgent) -> AgentHandle: ...

    async def resume(self, options: ResumeAgent) -> AgentHandle: ...


class AgentRegistry:
    """Every live agent by id. Published under `AGENTS`."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}
        self._announced: set[str] = set()
        self._factory: AgentFactory | None = None

    def get(self, agent_id: str) -> Agent | None:
        return self._agents.get(agent_id)

    def list(self) -> tuple[Agent, ...]:
        return tuple(self._agents.values())

    def require_free(self, agent_id: str) -> None:
        """Raises: AgentExistsError: a live agent has this id."""
        if agent_id in self._agents:
            raise AgentExistsError(f"{agent_id}: a live agent already works on this session")

    def register(self, ctx: Context, agent: Agent) -> Disposer:
        """Make a constructed agent known, for as long as the caller's fiber lives.

        A listener of ``agent/created`` that raises vetoes it: the agent is taken out again,
        ``agent/disposed`` is told, and the raise reaches the caller.

        Raises:
            AgentExistsError: a live agent has this id.
        """

        def entry() -> Iterator[Undo]:
            yield self.enter(ctx, agent)
            self.announce(ctx, agent)

        return ctx.effect(entry)

    def enter(self, ctx: Context, agent: Agent) -> Disposer:
        """Take the agent's id, silently. Undone, it tells ``agent/disposed`` if it was announced."""

        def entry() -> Undo:
            self.require_free(agent.id)
            self._agents[agent.id] = agent
            return leave

        def leave() -> None:
            del self._agents[agent.id]
            if agent.id in self._announced:
                self._announced.discard(agent.id)
                AgentDispatch(ctx, agent).emit(AGENT_DISPOSED)

        return ctx.effect(entry)

    def announce(self, ctx: Context, agent: Agent) -> None:
        """Tell ``agent/created``. A raise is a veto and escapes; the caller undoes `enter` then."""
        self._announced.add(agent.id)
        AgentDispatch(ctx, agent).emit_raw(AGENT_CREATED)

    def set_factory(self, ctx: Context, factory: AgentFactory) -> Disposer:
        """Mount the factory; the slot is free again when the caller's fiber ends.

        Raises:
            AgentError: one is mounted. Order must not decide which loop runs.
        """

        if self._factory is not None:
            raise AgentError("an agent factory is mounted already", code="AGENT_FACTORY_EXISTS")

        def entry() -> Undo:
            self._factory = factory
            return clear

        def clear() -> None:
            self._factory = None

        return ctx.effect(entry)

    def create(self, options: CreateAgent | None = None) -> AgentHandle:
        """A running agent on a fresh session.

        Raises:
            AgentExistsError, SessionError: the id is taken.
            NoAgentFactoryError: no loop is loaded.
        """
        return self._require_factory().create(options or CreateAgent())

    async def resume(self, options: ResumeAgent) -> AgentHandle:
        """A running agent on a stored session; the log goes on where it ended.

        Raises:
            AgentExistsError: it is live already.
            NoAgentFactoryError: no loop is loaded.
            AgentError: no persistence is loaded.
        """
        return await self._require_factory().resume(options)

    def _require_factory(self) -> AgentFactory:
        if self._factory is None:
            raise NoAgentFactoryError("no agent can be created: no plugin provides the loop")
        return self._factory


AGENTS: ServiceKey[AgentRegistry] = ServiceKey("agents")
