"""Requests: frozen, anchored by headers, and always the same as what the log alone gives."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import Agent, AgentOptions
from dsh_tui.engine.agent.decisions import RequestErrorDecision, Retry, RetryStep
from dsh_tui.engine.agent.default_model import DEFAULT_MODEL
from dsh_tui.engine.agent.events import (
    AGENT_PRE_STEP,
    AGENT_REQUEST,
    AGENT_REQUEST_ERROR,
    AGENT_SESSION_PREFIX,
    PreStep,
    RequestFailure,
)
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Context, Next, create_root
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.llm.messages import USER_SOURCE, Message, plugin_source
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import Section
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, assert_rebuilds, dialogue, endings, last, types
from tests.fakes.scripted_provider import Gate, ScriptedReply, broken, calls, delta, finish, text

TEST = plugin_source("test")


async def ask(agent: Agent, *prompts: str) -> None:
    for prompt in prompts:
        agent.send(prompt)
        await agent.when_idle()


def headers(session: Session) -> list[str]:
    return [
        event.data.get("reason", "delta")
        for event in session.events
        if event.type.startswith("request/header")
    ]


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


async def test_what_a_listener_chose_stays_chosen(app: LoopApp) -> None:
    async def listen(
        _agent: Agent, turn: int, _step: int, _config: CallConfig, following: Next[CallConfig]
    ) -> CallConfig:
        seed = await following()
        return {**seed, "temperature": 0.5} if turn == 1 else seed

    app.root.on(AGENT_REQUEST, listen)
    agent = app.create().agent
    await ask(agent, "one", "two")
    assert [request.config.get("temperature") for request in app.provider.requests] == [0.5, 0.5]
    assert headers(agent.session) == ["initial"]


async def test_a_listener_may_overrule_a_selection_that_has_been_used(app: LoopApp) -> None:
    async def listen(
        _agent: Agent, turn: int, _step: int, _config: CallConfig, following: Next[CallConfig]
    ) -> CallConfig:
        seed = await following()
        return {**seed, "model": "m3"} if turn == 4 else seed

    app.root.on(AGENT_REQUEST, listen)
    agent = app.create().agent
    await ask(agent, "one")
    agent.select_model("other", "m2")
    await ask(agent, "two", "three", "four")
    assert [request.config["model"] for request in app.provider.requests] == ["model-a", "m2", "m3", "m3"]


async def test_history_only_grows_from_request_to_request(app: LoopApp) -> None:
    agent = app.create().agent
    await ask(agent, "one", "two", "three")
    requests = app.provider.requests
    for earlier, later in pairwise(requests):
        shared = later.messages[: len(earlier.messages)]
        assert all(one is other for one, other in zip(earlier.messages, shared, strict=True))


# Which model


async def test_options_name_the_model(app: LoopApp) -> None:
    options = AgentOptions(provider="other", model="m", effort="low", max_tokens=77)
    await ask(app.create(options=options).agent, "Hi")
    assert app.provider.requests[0].config == {
        "provider": "other",
        "model": "m",
        "reasoningEffort": "low",
        "maxTokens": 77,
    }


async def test_the_default_serves_who_names_none_and_is_read_at_creation(app: LoopApp, root: Context) -> None:
    default = AgentOptions(provider="scripted", model="standard", effort="high")
    root.provide(DEFAULT_MODEL, lambda: default)
    agent = app.create(options=AgentOptions()).agent
    default = AgentOptions(provider="scripted", model="later")
    await ask(agent, "Hi")
    assert app.provider.requests[0].config == {
        "provider": "scripted",
        "model": "standard",
        "reasoningEffort": "high",
    }


async def test_without_any_model_the_turn_fails_with_one_line(app: LoopApp) -> None:
    agent = app.create(options=AgentOptions()).agent
    await ask(agent, "Hi")
    reason = last(agent.session, "turn/end")["reason"]
    assert (reason["kind"], reason["code"]) == ("error", "MODEL_NOT_CHOSEN")
    agent.select_model("scripted", "model-a")
    await ask(agent, "Hi again")
    assert endings(agent.session)[-1] == "completed"


async def test_a_selection_while_idle_serves_the_next_request_and_is_logged(app: LoopApp) -> None:
    agent = app.create().agent
    await ask(agent, "one")
    agent.select_model("other", "m2", "max")
    await ask(agent, "two")
    assert app.provider.requests[1].config == {"provider": "other", "model": "m2", "reasoningEffort": "max"}
    assert last(agent.session, "model/selected") == {"provider": "other", "model": "m2", "effort": "max"}
    assert headers(agent.session) == ["initial", "delta"]
    assert types(agent.session).count("request/context") == 2
    assert_rebuilds(app, agent.session)


async def test_a_selection_in_the_middle_of_a_step_serves_from_the_next_step(app: LoopApp) -> None:
    async def body(call: ToolCall) -> ToolOutput:
        call.agent.select_model("other", "m2")
        return ToolOutput("done")

    app.add_tool("work", body)
    gate = Gate()
    app.provider.will_say([gate, *calls(("c1", "work"))])
    agent = app.create().agent
    agent.send("Go")
    await gate.reached()
    gate.open()
    await agent.when_idle()
    assert [request.config["model"] for request in app.provider.requests] == ["model-a", "m2"]
    assert_rebuilds(app, agent.session)


async def test_a_selection_made_during_a_request_is_not_lost(app: LoopApp) -> None:
    async def listen(
        agent: Agent, turn: int, _step: int, _config: CallConfig, following: Next[CallConfig]
    ) -> CallConfig:
        if turn == 1:
            agent.select_model("other", "m2")
        return await following()

    app.root.on(AGENT_REQUEST, listen)
    agent = app.create().agent
    await ask(agent, "one", "two")
    assert [request.config["model"] for request in app.provider.requests] == ["model-a", "m2"]


@pytest.mark.parametrize(
    ("options", "model"),
    [(AgentOptions(), "selected"), (AgentOptions(provider="scripted", model="explicit"), "explicit")],
)
async def test_a_seeded_session_keeps_its_model_unless_told_otherwise(
    app: LoopApp, root: Context, options: AgentOptions, model: str
) -> None:
    root.provide(DEFAULT_MODEL, lambda: AgentOptions(provider="scripted", model="standard"))
    first = app.create().agent
    await ask(first, "one")
    first.select_model("other", "selected")
    second = app.create(options=options, seed=first.session.events).agent
    await ask(second, "two")
    assert app.provider.requests[-1].config["model"] == model
    assert headers(second.session) == ["initial", "initial"]


# The theorem, over random lives

_REPLIES = st.sampled_from(["text", "calls", "fail", "raise", "cut", "length", "cancel"])
_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["send", "inject", "steer", "select", "prompt", "cancel"]),
        st.lists(_REPLIES, max_size=4),
    ),
    min_size=1,
    max_size=6,
)
_DECISIONS = st.lists(st.sampled_from([Retry(), RetryStep(), None]), max_size=6)


def _scripted(kind: str, agent: Agent) -> ScriptedReply:
    replies: dict[str, ScriptedReply] = {
        "text": text("All is well"),
        "calls": calls(("c1", "work"), ("c2", "missing"), words="On it."),
        "fail": [delta("Half"), broken()],
        "raise": [RuntimeError("wire")],
        "cut": [delta("Cut")],
        "length": calls(("c1", "work"), kind="max-tokens", words="Too long"),
        "cancel": [delta("Stop "), lambda: agent.cancel(), delta("here"), finish()],
    }
    return replies[kind]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=_ACTIONS, decisions=_DECISIONS)
async def test_every_request_is_rebuilt_from_the_log_whatever_happened(
    actions: list[tuple[str, list[str]]], decisions: list[RequestErrorDecision]
) -> None:
    root = create_root()
    app = LoopApp(root, FakeClock())
    await app.start()
    waiting = list(decisions)

    async def work(call: ToolCall) -> ToolOutput:
        call.agent.inject("from the tool", source=TEST)
        return ToolOutput("done")

    async def decide(
        _agent: Agent, _failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        return waiting.pop() if waiting else None

    app.add_tool("work", work)
    root.on(AGENT_REQUEST_ERROR, decide)
    agent = app.create().agent
    for number, (action, replies) in enumerate(actions):
        app.provider.will_say(*(_scripted(kind, agent) for kind in replies))
        match action:
            case "inject":
                agent.inject(f"note {number}", source=TEST)
            case "select":
                agent.select_model("other", f"m{number}")
            case "prompt":
                root[SYSTEM_PROMPT].section(root, Section(f"s{number}", number, f"Rule {number}."))
            case "steer":
                agent.steer(f"steer {number}")
            case "cancel":
                agent.send("never")
                agent.cancel()
            case _:
                agent.send(f"prompt {number}", source=USER_SOURCE)
        await agent.when_idle()
    assert_rebuilds(app, agent.session)
    assert types(agent.session).count("turn/start") == len(endings(agent.session))
    assert rebuild_requests(
        Session(agent.session.header, seed=agent.session.events).events
    ) == rebuild_requests(agent.session.events)
    await root.fiber.dispose()


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
