"""Cancelling: wherever it strikes, the log closes, the history stays valid, and the agent lives on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from dsh_tui.engine.agent.agent import Agent, AgentStatus, QueuedMessage
from dsh_tui.engine.agent.decisions import ContinuationDecision, PromptDecision, RequestErrorDecision
from dsh_tui.engine.agent.events import (
    AGENT_DROPPED,
    AGENT_PRE_STEP,
    AGENT_PROMPT_SUBMIT,
    AGENT_REQUEST,
    AGENT_REQUEST_ERROR,
    AGENT_SESSION_PREFIX,
    AGENT_STATUS,
    AGENT_STEP_RESULT,
    AGENT_TURN_CONTINUATION,
    Continuation,
    PreStep,
    RequestFailure,
)
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.llm.blocks import text_block, text_of
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT
from dsh_tui.engine.system_prompt.assembly import ASSEMBLE, Assembly
from tests.fakes.loop_app import LoopApp, assert_rebuilds, dialogue, endings, last, outline, settle, types
from tests.fakes.scripted_provider import Gate, broken, calls, delta, finish, text, thought


async def test_cancelling_an_idle_agent_changes_nothing_for_the_next_prompt(app: LoopApp) -> None:
    agent = app.create().agent
    agent.cancel()
    agent.send("Hi")
    await agent.when_idle()
    assert endings(agent.session) == ["completed"]


async def test_a_prompt_cancelled_before_its_turn_never_runs_and_is_handed_back(app: LoopApp) -> None:
    dropped: list[str] = []
    statuses: list[AgentStatus] = []
    app.root.on(AGENT_DROPPED, lambda _agent, gone: dropped.extend(text_of(one.content) for one in gone))
    app.root.on(AGENT_STATUS, lambda _agent, status: statuses.append(status))
    agent = app.create().agent
    agent.send("Hi")
    agent.cancel()
    await agent.when_idle()
    await settle()
    assert outline(agent.session.events) == []
    assert (dropped, statuses) == (["Hi"], [])


async def test_a_prompt_sent_after_a_cancel_runs(app: LoopApp) -> None:
    agent = app.create().agent
    agent.send("wrong")
    agent.cancel()
    agent.send("right")
    await agent.when_idle()
    assert dialogue(app.provider.requests[0]) == ["user: right"]
    assert endings(agent.session) == ["completed"]


async def test_waiters_are_answered_when_a_cancel_leaves_nothing_to_do(app: LoopApp) -> None:
    agent = app.create().agent
    agent.send("Hi")
    waiter = asyncio.ensure_future(agent.when_idle())
    await asyncio.sleep(0)
    agent.cancel()
    await asyncio.wait_for(waiter, 5)


@pytest.mark.parametrize("replacement", [None, "instead"])
async def test_a_listener_of_running_may_cancel_before_the_turn(
    app: LoopApp, replacement: str | None
) -> None:
    agent = app.create().agent
    statuses: list[AgentStatus] = []

    def listen(told: Agent, status: AgentStatus) -> None:
        statuses.append(status)
        if status == "running":
            told.cancel()
            if replacement is not None:
                told.send(replacement)

    app.root.on(AGENT_STATUS, listen)
    agent.send("Hi")
    await agent.when_idle()
    await settle()
    assert statuses == ["running", "idle"]
    assert [
        text_of(event.data["content"]) for event in agent.session.events if event.type == "user/message"
    ] == ([] if replacement is None else [replacement])


def _at_submit(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        agent.cancel("enough")
        return await following()

    app.root.on(AGENT_PROMPT_SUBMIT, listen)


def _at_assembly(app: LoopApp) -> None:
    async def listen(agent: Agent, _assembly: Assembly, following: Next[Assembly]) -> Assembly:
        agent.cancel("enough")
        return await following()

    app.root.on(ASSEMBLE, listen)


def _at_prefix(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _seed: tuple[Message, ...], _signal: CancelSignal, following: Next[tuple[Message, ...]]
    ) -> tuple[Message, ...]:
        agent.cancel("enough")
        return await following()

    app.root.on(AGENT_SESSION_PREFIX, listen)


def _at_pre_step(app: LoopApp) -> None:
    async def listen(agent: Agent, _upcoming: PreStep) -> None:
        agent.cancel("enough")

    app.root.on(AGENT_PRE_STEP, listen)


def _at_step_start(app: LoopApp) -> None:
    def listen(session: Session, event: Event) -> None:
        if event.type == "step/start":
            _agent_of(app, session).cancel("enough")

    app.root.on(SESSION_EVENT, listen)


def _at_request(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _turn: int, _step: int, _config: CallConfig, following: Next[CallConfig]
    ) -> CallConfig:
        agent.cancel("enough")
        return await following()

    app.root.on(AGENT_REQUEST, listen)


def _at_request_error(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        agent.cancel("enough")
        return None

    app.provider.will_say([broken()])
    app.root.on(AGENT_REQUEST_ERROR, listen)


def _at_step_result(app: LoopApp) -> None:
    async def listen(agent: Agent, _message: Message, following: Next[Message]) -> Message:
        agent.cancel("enough")
        return await following()

    app.root.on(AGENT_STEP_RESULT, listen)


def _at_continuation(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _asked: Continuation, following: Next[ContinuationDecision]
    ) -> ContinuationDecision:
        agent.cancel("enough")
        return await following()

    app.root.on(AGENT_TURN_CONTINUATION, listen)


@pytest.mark.parametrize(
    ("strike", "steps", "requests"),
    [
        (_at_submit, 0, 0),
        (_at_assembly, 0, 0),
        (_at_prefix, 0, 0),
        (_at_pre_step, 0, 0),
        (_at_step_start, 1, 0),
        (_at_request, 1, 0),
        (_at_request_error, 1, 1),
        (_at_step_result, 1, 1),
        (_at_continuation, 1, 1),
    ],
)
async def test_a_cancel_at_any_seam_ends_the_turn_aborted(
    app: LoopApp, strike: Callable[[LoopApp], None], steps: int, requests: int
) -> None:
    strike(app)
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert last(agent.session, "turn/end")["reason"] == {
        "kind": "aborted",
        "reason": "enough",
        "cause": {"kind": "user"},
    }
    assert endings(agent.session) == ["aborted"]
    assert types(agent.session).count("step/start") == types(agent.session).count("step/end") == steps
    assert len(app.provider.requests) == requests


async def test_a_prompt_cancelled_while_it_is_judged_stays_readable_in_the_log(app: LoopApp) -> None:
    _at_submit(app)
    agent = app.create().agent
    agent.send("precious")
    await agent.when_idle()
    assert outline(agent.session.events)[1] == "prompt/blocked precious"


async def test_an_interrupted_prefix_is_composed_again(app: LoopApp) -> None:
    compositions: list[int] = []

    async def listen(
        agent: Agent, _seed: tuple[Message, ...], _signal: CancelSignal, following: Next[tuple[Message, ...]]
    ) -> tuple[Message, ...]:
        compositions.append(1)
        if len(compositions) == 1:
            agent.cancel()
        return await following()

    app.root.on(AGENT_SESSION_PREFIX, listen)
    agent = app.create().agent
    for prompt in ("one", "two", "three"):
        agent.send(prompt)
        await agent.when_idle()
    assert endings(agent.session) == ["aborted", "completed", "completed"]
    assert len(compositions) == 2


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ([], None),
        ([thought("hmm")], None),
        ([delta(" ")], None),
        ([delta("Half a "), delta("sentence")], "Half a sentence"),
        ([thought("hmm"), delta("Half", 1)], "Half"),
        ([delta("Half"), *calls(("c1", "work"))[:2]], "Half"),
    ],
)
async def test_a_cancel_while_streaming_keeps_the_visible_text(
    app: LoopApp, before: list[Any], kept: str | None
) -> None:
    gate = Gate()
    app.provider.will_say([*before, gate, delta("never"), finish()])
    agent = app.create().agent
    agent.send("Hi")
    await gate.reached()
    agent.cancel("enough")
    await agent.when_idle()
    assert endings(agent.session) == ["aborted"]
    messages = [event.data for event in agent.session.events if event.type == "assistant/message"]
    assert [text_of(message["content"]) for message in messages] == ([] if kept is None else [kept])
    assert all(message["interrupted"] for message in messages)
    agent.send("Again")
    await agent.when_idle()
    assert_rebuilds(app, agent.session)


async def test_a_cancel_by_a_listener_of_a_chunk_stops_at_that_chunk(app: LoopApp) -> None:
    def listen(session: Session, event: Event) -> None:
        if event.type == "assistant/chunk" and event.data["chunk"].get("text") == "two":
            _agent_of(app, session).cancel()

    app.root.on(SESSION_EVENT, listen)
    app.provider.will_say([delta("one"), delta("two"), delta("three"), finish()])
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert outline(agent.session.events)[-3] == "assistant/message onetwo"
    assert_rebuilds(app, agent.session)


async def test_an_adapter_that_ignores_the_signal_is_stopped_too(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([gate, finish()])
    agent = app.create().agent
    agent.send("Hi")
    await gate.reached()
    agent.cancel()
    await asyncio.wait_for(agent.when_idle(), 5)
    assert app.provider.left_early == 1
    assert endings(agent.session) == ["aborted"]
    assert_rebuilds(app, agent.session)


async def test_a_cancel_drops_what_waits_and_what_comes_after_runs(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([delta("one"), gate, finish()])
    agent = app.create().agent
    agent.send("first")
    await gate.reached()
    agent.send("queued")
    agent.steer("steered")
    agent.cancel()
    assert agent.queued == ()
    agent.send("after")
    await agent.when_idle()
    assert endings(agent.session) == ["aborted", "completed"]
    assert dialogue(app.provider.requests[1]) == ["user: first", "assistant: one", "user: after"]


async def test_the_first_cause_of_a_cancel_wins(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([gate])
    agent = app.create().agent
    agent.send("Go")
    await gate.reached()
    agent.cancel("first", {"kind": "parent"})
    agent.cancel("second")
    await agent.when_idle()
    reason = last(agent.session, "turn/end")["reason"]
    assert (reason["reason"], reason["cause"]) == ("first", {"kind": "parent"})


async def test_a_cancel_during_step_result_keeps_what_the_listener_left(app: LoopApp) -> None:
    async def listen(agent: Agent, message: Message, _next: Next[Message]) -> Message:
        agent.cancel()
        return {**message, "content": (text_block("redacted"), *message["content"][1:])}

    app.root.on(AGENT_STEP_RESULT, listen)
    app.provider.will_say(calls(("c1", "work"), words="secret"))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    data = last(agent.session, "assistant/message")
    assert data["interrupted"]
    assert data["content"] == (text_block("redacted"),)


async def test_an_error_after_a_cancel_is_no_error(app: LoopApp) -> None:
    async def listen(agent: Agent, _message: Message, _next: Next[Message]) -> Message:
        agent.cancel()
        raise RuntimeError("because of the cancel")

    app.root.on(AGENT_STEP_RESULT, listen)
    app.provider.will_say(text("Hello"))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert endings(agent.session) == ["aborted"]


def _agent_of(app: LoopApp, session: Session) -> Agent:
    agent = app.agents.get(session.id)
    assert agent is not None
    return agent
