"""Turns: what one prompt, and what many, leave in the log."""

from __future__ import annotations

import pytest

from dsh_tui.engine.agent.agent import Agent, QueuedMessage
from dsh_tui.engine.agent.decisions import (
    AllowPrompt,
    BlockPrompt,
    ContinuationDecision,
    Continue,
    HookContext,
    PromptDecision,
    Stop,
)
from dsh_tui.engine.agent.events import (
    AGENT_ERROR,
    AGENT_PROMPT_SUBMIT,
    AGENT_STEP_RESULT,
    AGENT_TURN_CONTINUATION,
    Continuation,
)
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import Message, plugin_source
from dsh_tui.engine.session.core_types import core_problem
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_FLUSH
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.loop_app import LoopApp, assert_rebuilds, dialogue, endings, last, outline, types
from tests.fakes.scripted_provider import Gate, calls, chunk, delta, finish, text, thought

HOOK = plugin_source("hook")


async def test_a_prompt_becomes_one_turn_with_one_step(app: LoopApp) -> None:
    app.provider.will_say(text("Hello there you"))
    agent = app.create("s1").agent
    agent.send("Hi")
    await agent.when_idle()
    assert outline(agent.session.events) == [
        "turn/start 1 message",
        "user/message Hi",
        "step/start 1",
        "request/header initial",
        "request/origins",
        "request/context",
        "assistant/message Hello there you",
        "step/end 1",
        "turn/end 1 completed",
    ]
    assert agent.status == "idle"
    assert_rebuilds(app, agent.session)


async def test_the_answer_cites_its_chunks_and_carries_its_usage(app: LoopApp) -> None:
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    message = next(event for event in agent.session.events if event.type == "assistant/message")
    chunks = tuple(event.seq for event in agent.session.events if event.type == "assistant/chunk")
    assert message.source_event_seqs == chunks
    assert message.data["usage"] == {"inputTokens": 3, "outputTokens": 3}
    assert message.data["source"] == {"kind": "model", "provider": "scripted", "model": "model-a"}


@pytest.mark.parametrize(
    "counts", [None, "many", {"inputTokens": 3}, {"inputTokens": "3", "outputTokens": 3}]
)
async def test_a_count_that_is_none_costs_no_answer(app: LoopApp, counts: object) -> None:
    app.provider.will_say([delta("Fine."), chunk(type="usage", usage=counts), finish()])
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert "usage" not in last(agent.session, "assistant/message")
    assert endings(agent.session) == ["completed"]
    assert all(core_problem(event.type, event.data) is None for event in agent.session.events)


async def test_what_is_no_chunk_fails_the_request_and_stays_out_of_the_log(app: LoopApp) -> None:
    app.provider.will_say([delta("Half"), chunk(type="text-delta", index=0), finish()])
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert endings(agent.session) == ["error"]
    assert all(core_problem(event.type, event.data) is None for event in agent.session.events)


async def test_a_burst_of_prompts_is_one_turn_and_loses_nothing(app: LoopApp) -> None:
    agent = app.create().agent
    for number in range(20):
        agent.send(f"prompt {number}")
    await agent.when_idle()
    assert types(agent.session).count("turn/start") == 1
    assert types(agent.session).count("user/message") == 20


async def test_prompts_sent_while_a_turn_runs_make_the_next_turn(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([delta("one"), gate, finish()])
    agent = app.create().agent
    agent.send("first")
    await gate.reached()
    agent.send("second")
    agent.send("third")
    assert [message.content[0]["text"] for message in agent.queued] == ["second", "third"]  # type: ignore[typeddict-item]
    gate.open()
    await agent.when_idle()
    turns = [event.data["turn"] for event in agent.session.events if event.type == "turn/start"]
    assert turns == [1, 2]
    assert dialogue(app.provider.requests[1]) == [
        "user: first",
        "assistant: one",
        "user: second",
        "user: third",
    ]


async def test_calls_are_run_and_the_model_sees_their_results(app: LoopApp) -> None:
    async def body(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    app.add_tool("work", body)
    app.provider.will_say(calls(("c1", "work"), ("c2", "work"), words="Let me work."), text("Finished."))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert outline(agent.session.events)[2:] == [
        "step/start 1",
        "request/header initial",
        "request/origins",
        "request/context",
        "assistant/message Let me work.",
        "tool/call c1",
        "tool/result c1",
        "tool/call c2",
        "tool/result c2",
        "step/end 1",
        "step/start 2",
        "assistant/message Finished.",
        "step/end 2",
        "turn/end 1 completed",
    ]
    assert dialogue(app.provider.requests[1]) == [
        "user: Go",
        "assistant: Let me work. call c1 call c2",
        "user: result c1",
        "user: result c2",
    ]
    assert_rebuilds(app, agent.session)


async def test_context_injected_while_a_tool_runs_stands_behind_the_results(app: LoopApp) -> None:
    async def body(call: ToolCall) -> ToolOutput:
        call.agent.inject("the file changed", source=HOOK)
        return ToolOutput("done")

    app.add_tool("work", body)
    app.provider.will_say(calls(("c1", "work"), ("c2", "work")))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert dialogue(app.provider.requests[1])[2:] == [
        "user: result c1",
        "user: result c2",
        "user: the file changed",
        "user: the file changed",
    ]


async def test_a_prompt_may_be_rewritten_and_get_context(app: LoopApp) -> None:
    async def submit(
        _agent: Agent, prompt: QueuedMessage, _signal: CancelSignal, _next: Next[PromptDecision]
    ) -> PromptDecision:
        assert prompt.content == (text_block("Hi"),)
        context = HookContext((text_block("It is Monday."),), HOOK)
        return AllowPrompt(content=(text_block("Hello"),), additional_context=(context,))

    app.root.on(AGENT_PROMPT_SUBMIT, submit)
    agent = app.create().agent
    message_id = agent.send("Hi")
    await agent.when_idle()
    assert outline(agent.session.events)[1:3] == ["user/message Hello", "context/message It is Monday."]
    assert last(agent.session, "user/message")["id"] == message_id


async def test_a_turn_whose_prompts_are_all_blocked_is_rejected_without_a_step(app: LoopApp) -> None:
    async def submit(
        _agent: Agent, prompt: QueuedMessage, _signal: CancelSignal, _next: Next[PromptDecision]
    ) -> PromptDecision:
        return BlockPrompt(f"no: {prompt.content[0]['text']}")  # type: ignore[typeddict-item]

    app.root.on(AGENT_PROMPT_SUBMIT, submit)
    agent = app.create().agent
    agent.send("a")
    agent.send("b")
    await agent.when_idle()
    assert outline(agent.session.events) == [
        "turn/start 1 message",
        "prompt/blocked a",
        "prompt/blocked b",
        "turn/end 1 rejected",
    ]
    assert last(agent.session, "turn/end")["reason"] == {"kind": "rejected", "reason": "no: b"}
    assert app.provider.requests == []


async def test_a_turn_goes_on_if_one_of_its_prompts_is_allowed(app: LoopApp) -> None:
    async def submit(
        _agent: Agent, prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        return BlockPrompt("no") if prompt.content == (text_block("bad"),) else await following()

    app.root.on(AGENT_PROMPT_SUBMIT, submit)
    agent = app.create().agent
    agent.send("bad")
    agent.send("good")
    await agent.when_idle()
    assert endings(agent.session) == ["completed"]
    assert dialogue(app.provider.requests[0]) == ["user: good"]


async def test_a_submit_listener_that_raises_ends_the_turn_and_keeps_what_was_typed(app: LoopApp) -> None:
    async def submit(
        _agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, _next: Next[PromptDecision]
    ) -> PromptDecision:
        raise RuntimeError("hook crashed")

    app.root.on(AGENT_PROMPT_SUBMIT, submit)
    agent = app.create().agent
    agent.send("precious words")
    agent.send("more words")
    await agent.when_idle()
    assert outline(agent.session.events) == [
        "turn/start 1 message",
        "prompt/blocked precious words",
        "prompt/blocked more words",
        "turn/end 1 error",
    ]


async def test_a_listener_may_stop_a_turn_that_would_go_on(app: LoopApp) -> None:
    async def body(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    async def guard(
        _agent: Agent, asked: Continuation, _next: Next[ContinuationDecision]
    ) -> ContinuationDecision:
        assert asked.default == Continue()
        return Stop()

    app.add_tool("work", body)
    app.root.on(AGENT_TURN_CONTINUATION, guard)
    app.provider.will_say(calls(("c1", "work")))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert len(app.provider.requests) == 1
    assert endings(agent.session) == ["completed"]


@pytest.mark.parametrize(("reason", "said"), [("not yet", "not yet"), (None, "Continue.")])
async def test_a_listener_may_make_a_turn_go_on(app: LoopApp, reason: str | None, said: str) -> None:
    async def goal(
        _agent: Agent, asked: Continuation, following: Next[ContinuationDecision]
    ) -> ContinuationDecision:
        return Continue(reason) if asked.step == 1 else await following()

    app.root.on(AGENT_TURN_CONTINUATION, goal)
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert dialogue(app.provider.requests[1])[-1] == f"user: {said}"
    assert_rebuilds(app, agent.session)


async def test_an_answer_at_the_token_limit_loses_its_calls_and_marks_the_turn(app: LoopApp) -> None:
    app.provider.will_say(calls(("c1", "work"), kind="max-tokens", words="I will"))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert endings(agent.session) == ["max-tokens"]
    assert [block["type"] for block in last(agent.session, "assistant/message")["content"]] == ["text"]
    assert "tool/call" not in types(agent.session)


async def test_the_token_limit_is_remembered_when_the_turn_goes_on(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([delta("cut"), gate, finish("max-tokens")], text("whole"))
    agent = app.create().agent
    agent.send("Go")
    await gate.reached()
    agent.steer("go on")
    gate.open()
    await agent.when_idle()
    assert len(app.provider.requests) == 2
    assert endings(agent.session) == ["max-tokens"]


async def test_the_answer_may_be_changed_before_it_is_logged(app: LoopApp) -> None:
    async def post(_agent: Agent, message: Message, following: Next[Message]) -> Message:
        assert await following() == message
        return {**message, "content": (text_block("censored"),)}

    app.root.on(AGENT_STEP_RESULT, post)
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert "assistant/message censored" in outline(agent.session.events)


async def test_a_listener_that_raises_ends_the_turn_but_not_the_agent(app: LoopApp) -> None:
    failures: list[tuple[int, int, str]] = []

    async def post(_agent: Agent, _message: Message, _next: Next[Message]) -> Message:
        raise RuntimeError("no good")

    app.root.on(AGENT_ERROR, lambda _agent, turn, step, error: failures.append((turn, step, str(error))))
    undo = app.root.on(AGENT_STEP_RESULT, post)
    agent = app.create().agent
    agent.send("one")
    await agent.when_idle()
    await undo()
    agent.send("two")
    await agent.when_idle()
    assert endings(agent.session) == ["error", "completed"]
    assert failures == [(1, 1, "no good")]
    assert_rebuilds(app, agent.session)


async def test_a_turn_is_flushed_and_a_failed_flush_is_only_told(app: LoopApp) -> None:
    failures: list[int] = []

    async def flush(_session: Session) -> None:
        raise OSError("disk full")

    app.root.on(AGENT_ERROR, lambda _agent, _turn, step, _error: failures.append(step))
    app.root.on(SESSION_FLUSH, flush)
    agent = app.create().agent
    agent.send("one")
    await agent.when_idle()
    assert endings(agent.session) == ["completed"]
    assert failures == [0]


async def test_an_answer_without_content_is_logged_and_not_shown_to_the_model(app: LoopApp) -> None:
    app.provider.will_say([finish()], text("now"))
    agent = app.create().agent
    agent.send("one")
    await agent.when_idle()
    agent.send("two")
    await agent.when_idle()
    assert types(agent.session).count("assistant/message") == 2
    assert dialogue(app.provider.requests[1]) == ["user: one", "user: two"]


async def test_reasoning_is_kept_in_the_history(app: LoopApp) -> None:
    app.provider.will_say([thought("hm"), delta("yes", 1), finish()])
    agent = app.create().agent
    agent.send("one")
    await agent.when_idle()
    assert [block["type"] for block in last(agent.session, "assistant/message")["content"]] == [
        "reasoning",
        "text",
    ]
