"""Which model a request asks: options, the log, the default, a selection, a listener."""

from __future__ import annotations

import pytest

from dsh_tui.engine.agent.agent import Agent, AgentOptions
from dsh_tui.engine.agent.default_model import DEFAULT_MODEL
from dsh_tui.engine.agent.events import (
    AGENT_REQUEST,
)
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.loop_app import LoopApp, ask, assert_rebuilds, endings, headers, last, types
from tests.fakes.scripted_provider import Gate, calls


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


async def test_the_options_say_what_the_next_request_asks(app: LoopApp) -> None:
    agent = app.create(options=AgentOptions(provider="scripted", model="m1", max_tokens=9)).agent
    assert agent.options == AgentOptions(provider="scripted", model="m1", max_tokens=9)
    agent.select_model("other", "m2", "low")
    assert agent.options == AgentOptions(provider="other", model="m2", effort="low", max_tokens=9)
    await ask(agent, "Hi")
    assert agent.options == AgentOptions(provider="other", model="m2", effort="low", max_tokens=9)
    assert app.create(options=AgentOptions()).agent.options == AgentOptions()


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
