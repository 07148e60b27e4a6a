"""Requests: frozen, anchored by headers, and always the same as what the log alone gives."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import pairwise
from typing import Any

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.events import (
    AGENT_PRE_STEP,
    AGENT_REQUEST,
    AGENT_SESSION_PREFIX,
    PreStep,
)
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.llm.messages import Message, plugin_source
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import Section
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.loop_app import LoopApp, ask, assert_rebuilds, dialogue, endings, headers, last, types

TEST = plugin_source("test")


async def test_a_request_cannot_be_changed_by_whoever_gets_it(app: LoopApp) -> None:
    await ask(app.create().agent, "Hi")
    request: Any = app.provider.requests[0]
    with pytest.raises(FrozenInstanceError):
        request.messages = ()
    for part in (request.config, request.messages[0], request.messages[0]["content"][0]):
        with pytest.raises(TypeError):
            part["x"] = 1


async def test_equal_headers_are_logged_once(app: LoopApp) -> None:
    agent = app.create().agent
    await ask(agent, "one", "two", "three")
    assert headers(agent.session) == ["initial"]
    assert types(agent.session).count("request/context") == 1
    assert last(agent.session, "request/context")["contextWindow"] == 1000
    assert_rebuilds(app, agent.session)


async def test_a_changed_prompt_is_logged_as_a_delta(app: LoopApp, root: Context) -> None:
    agent = app.create().agent
    await ask(agent, "one")
    root[SYSTEM_PROMPT].section(root, Section("more", 10, "Be kind."))
    await ask(agent, "two")
    assert headers(agent.session) == ["initial", "delta"]
    assert_rebuilds(app, agent.session)


async def test_what_a_delta_cannot_say_is_logged_whole(app: LoopApp) -> None:
    async def body(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    app.add_tool("beta", body)
    agent = app.create().agent
    await ask(agent, "one")
    app.add_tool("alpha", body)  # sorts before beta, which a delta can't express
    await ask(agent, "two")
    assert headers(agent.session) == ["initial", "fallback"]
    assert_rebuilds(app, agent.session)


async def test_context_injected_while_the_request_is_shaped_joins_the_next_one(app: LoopApp) -> None:
    async def listen(
        agent: Agent, turn: int, _step: int, _config: CallConfig, following: Next[CallConfig]
    ) -> CallConfig:
        if turn == 1:
            agent.inject("too late", source=TEST)
        return await following()

    app.root.on(AGENT_REQUEST, listen)
    agent = app.create().agent
    await ask(agent, "one", "two")
    assert dialogue(app.provider.requests[0]) == ["user: one"]
    assert dialogue(app.provider.requests[1]) == [
        "user: one",
        "user: too late",
        "assistant: Ok.",
        "user: two",
    ]
    assert_rebuilds(app, agent.session)


async def test_what_a_listener_appends_at_step_start_joins_the_next_request(app: LoopApp) -> None:
    def listen(session: Session, event: Event) -> None:
        agent = app.agents.get(session.id)
        if event.type == "step/start" and agent is not None:
            agent.inject(f"step {event.data['step']}", source=TEST)

    app.root.on(SESSION_EVENT, listen)
    agent = app.create().agent
    await ask(agent, "one", "two")
    assert dialogue(app.provider.requests[0]) == ["user: one"]
    assert_rebuilds(app, agent.session)


async def test_what_pre_step_appends_is_in_this_request(app: LoopApp) -> None:
    async def listen(agent: Agent, upcoming: PreStep) -> bool:
        assert upcoming.system == "You are a test."
        agent.inject("just in time", source=TEST)
        return True

    app.root.on(AGENT_PRE_STEP, listen)
    agent = app.create().agent
    await ask(agent, "one")
    assert dialogue(app.provider.requests[0]) == ["user: one", "user: just in time"]
    assert_rebuilds(app, agent.session)


async def test_the_prefix_is_composed_once_frozen_and_in_front_of_every_request(app: LoopApp) -> None:
    content = [dict(text_block("The skills are these."))]
    made: list[Any] = []

    async def listen(
        _agent: Agent, seed: tuple[Message, ...], _signal: CancelSignal, following: Next[tuple[Message, ...]]
    ) -> tuple[Message, ...]:
        assert seed == ()
        made.append({"id": "opener", "role": "user", "content": content, "source": TEST})
        return (*await following(), *made)

    app.root.on(AGENT_SESSION_PREFIX, listen)
    agent = app.create().agent
    await ask(agent, "one")
    content[0]["text"] = "changed behind our back"
    await ask(agent, "two")
    assert len(made) == 1
    for request in app.provider.requests:
        assert dialogue(request)[0] == "user: The skills are these."
    assert agent.session.derive()[0]["content"] == (text_block("one"),)
    assert_rebuilds(app, agent.session)


async def test_a_listener_that_delegates_cannot_change_the_seed(app: LoopApp) -> None:
    async def listen(
        _agent: Agent, _turn: int, _step: int, config: CallConfig, following: Next[CallConfig]
    ) -> CallConfig:
        config["temperature"] = 2.0
        return await following()

    app.root.on(AGENT_REQUEST, listen)
    agent = app.create().agent
    await ask(agent, "one")
    assert endings(agent.session) == ["error"]
    assert app.provider.requests == []


async def test_history_only_grows_from_request_to_request(app: LoopApp) -> None:
    agent = app.create().agent
    await ask(agent, "one", "two", "three")
    requests = app.provider.requests
    for earlier, later in pairwise(requests):
        shared = later.messages[: len(earlier.messages)]
        assert all(one is other for one, other in zip(earlier.messages, shared, strict=True))


async def test_tools_of_a_plugin_that_left_are_gone_from_the_next_request(
    app: LoopApp, root: Context
) -> None:
    plugin = root.fork("plugin")

    async def body(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    app.add_tool("work", body, ctx=plugin.ctx)
    agent = app.create().agent
    await ask(agent, "one")
    await plugin.dispose()
    await ask(agent, "two")
    assert [[tool["name"] for tool in request.tools] for request in app.provider.requests] == [["work"], []]
    assert root[TOOLS].get(agent, "work") is None
    assert_rebuilds(app, agent.session)
