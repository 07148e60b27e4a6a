"""The registry of agents: one of a kind, gone with whoever registered it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dsh_tui.engine.agent import plugin
from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.errors import AgentError, AgentExistsError, NoAgentFactoryError
from dsh_tui.engine.agent.events import AGENT_CREATED, AGENT_DISPOSED
from dsh_tui.engine.agent.registry import AGENTS, AgentFactory, AgentRegistry, CreateAgent
from dsh_tui.engine.kernel import Context


class Stub:
    """As much of an agent as a registry needs."""

    def __init__(self, agent_id: str) -> None:
        self.id = agent_id


def stub(agent_id: str) -> Agent:
    return cast("Agent", Stub(agent_id))


@pytest.fixture
async def agents(root: Context) -> AgentRegistry:
    await root.plugin(plugin)
    return root[AGENTS]


async def test_a_registered_agent_is_found_until_its_fiber_ends(root: Context, agents: AgentRegistry) -> None:
    told: list[str] = []
    root.on(AGENT_CREATED, lambda agent: told.append(f"created {agent.id}"))
    root.on(AGENT_DISPOSED, lambda agent: told.append(f"disposed {agent.id}"))
    fiber = root.fork("plugin")
    agent = stub("a")
    agents.register(fiber.ctx, agent)
    assert (agents.get("a"), agents.list()) == (agent, (agent,))
    await fiber.dispose()
    assert (agents.get("a"), agents.list()) == (None, ())
    assert told == ["created a", "disposed a"]


async def test_an_id_is_taken_once(root: Context, agents: AgentRegistry) -> None:
    agents.register(root, stub("a"))
    with pytest.raises(AgentExistsError):
        agents.register(root, stub("a"))
    assert len(agents.list()) == 1


async def test_a_veto_takes_the_agent_out_again(root: Context, agents: AgentRegistry) -> None:
    told: list[Agent] = []

    def veto(_agent: Agent) -> None:
        raise RuntimeError("no")

    root.on(AGENT_CREATED, veto)
    root.on(AGENT_DISPOSED, told.append)
    agent = stub("a")
    with pytest.raises(RuntimeError):
        agents.register(root, agent)
    assert agents.list() == ()
    assert told == [agent]


async def test_without_a_factory_creating_says_what_is_missing(agents: AgentRegistry) -> None:
    with pytest.raises(NoAgentFactoryError, match="no plugin provides the loop"):
        agents.create()


async def test_a_second_factory_is_refused_and_the_slot_is_free_after_the_first(
    root: Context, agents: AgentRegistry
) -> None:
    class Factory:
        def create(self, options: CreateAgent) -> Any:
            return options

    factory = cast("AgentFactory", Factory())
    first = root.fork("first")
    agents.set_factory(first.ctx, factory)
    with pytest.raises(AgentError):
        agents.set_factory(root, factory)
    await first.dispose()
    agents.set_factory(root, factory)
    assert cast("object", agents.create()) == CreateAgent()
