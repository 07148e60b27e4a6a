"""Steering and injecting: what is said outside of prompts finds its place."""

from __future__ import annotations

from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT, SESSION_FLUSH
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.loop_app import LoopApp, assert_rebuilds, dialogue, endings, last, outline, settle, types
from tests.fakes.scripted_provider import Gate, broken, calls, delta, finish

HOOK = plugin_source("hook")


async def test_context_injected_at_the_answer_itself_stands_behind_the_results(app: LoopApp) -> None:
    async def body(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    def listen(session: Session, event: Event) -> None:
        agent = app.agents.get(session.id)
        if event.type == "assistant/message" and agent is not None:
            agent.inject("noted", source=HOOK)

    app.add_tool("work", body)
    app.root.on(SESSION_EVENT, listen)
    app.provider.will_say(calls(("c1", "work")))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert dialogue(app.provider.requests[1])[2:] == ["user: result c1", "user: noted"]
    assert_rebuilds(app, agent.session)


async def test_steering_joins_the_next_step(app: LoopApp) -> None:
    async def body(call: ToolCall) -> ToolOutput:
        call.agent.steer("use the other file")
        return ToolOutput("done")

    app.add_tool("work", body)
    app.provider.will_say(calls(("c1", "work")))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert types(agent.session).count("turn/start") == 1
    assert dialogue(app.provider.requests[1])[-1] == "user: use the other file"
    assert_rebuilds(app, agent.session)


async def test_steering_during_the_last_answer_makes_another_step(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([delta("one"), gate, finish()])
    agent = app.create().agent
    agent.send("Go")
    await gate.reached()
    agent.steer("wait, also this")
    gate.open()
    await agent.when_idle()
    assert types(agent.session).count("turn/start") == 1
    assert dialogue(app.provider.requests[1]) == ["user: Go", "assistant: one", "user: wait, also this"]


async def test_steering_left_over_by_a_failed_turn_becomes_the_next_prompt(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([gate, broken()])
    agent = app.create().agent
    agent.send("Go")
    await gate.reached()
    message_id = agent.steer("and this")
    gate.open()
    await agent.when_idle()
    assert endings(agent.session) == ["error", "completed"]
    assert last(agent.session, "user/message")["id"] == message_id


async def test_steering_an_idle_agent_sends(app: LoopApp) -> None:
    agent = app.create().agent
    agent.steer("Hi")
    await agent.when_idle()
    assert outline(agent.session.events)[1] == "user/message Hi"


async def test_injecting_while_idle_is_a_turn_of_its_own_without_a_request(app: LoopApp) -> None:
    flushed: list[Session] = []

    async def flush(session: Session) -> None:
        flushed.append(session)

    app.root.on(SESSION_FLUSH, flush)
    agent = app.create().agent
    agent.inject("remember this", source=HOOK)
    await settle()
    assert outline(agent.session.events) == [
        "turn/start 1 injection",
        "context/message remember this",
        "turn/end 1 completed",
    ]
    assert flushed == [agent.session]
    agent.send("Hi")
    await agent.when_idle()
    assert dialogue(app.provider.requests[0]) == ["user: remember this", "user: Hi"]
