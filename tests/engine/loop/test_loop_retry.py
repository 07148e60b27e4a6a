"""Failed requests: what listeners may do about them, and what the log says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.decisions import RequestErrorDecision, Retry, RetryStep
from dsh_tui.engine.agent.events import AGENT_REQUEST_ERROR, RequestFailure
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.loop.rebuild import rebuild_requests
from tests.fakes.loop_app import LoopApp, assert_rebuilds, dialogue, endings, last, outline, types
from tests.fakes.scripted_provider import broken, delta, text


def _decide(app: LoopApp, *decisions: RequestErrorDecision) -> list[RequestFailure]:
    answers, seen = list(decisions), []

    async def listen(
        _agent: Agent, failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        seen.append(failed)
        return answers.pop(0) if answers else None

    app.root.on(AGENT_REQUEST_ERROR, listen)
    return seen


async def test_a_failure_ends_the_turn_with_its_code(app: LoopApp) -> None:
    app.provider.will_say([delta("Half"), broken("RATE_LIMIT", "slow down")])
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert last(agent.session, "turn/end")["reason"] == {
        "kind": "error",
        "step": 1,
        "message": "slow down",
        "code": "RATE_LIMIT",
        "failure": {"message": "slow down", "code": "RATE_LIMIT"},
    }
    assert "assistant/message" not in types(agent.session)


@pytest.mark.parametrize(
    "reply", [[RuntimeError("boom")], [delta("x"), RuntimeError("boom")], [delta("x")], []]
)
async def test_however_a_stream_breaks_the_attempt_ends_with_a_finish_in_the_log(
    app: LoopApp, reply: Sequence[Chunk | BaseException]
) -> None:
    app.provider.will_say(reply)
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    chunks = [event.data["chunk"] for event in agent.session.events if event.type == "assistant/chunk"]
    assert chunks[-1]["reason"]["kind"] == "error"
    assert endings(agent.session) == ["error"]
    assert_rebuilds(app, agent.session)


async def test_a_retry_sends_the_very_same_request_in_the_same_step(app: LoopApp) -> None:
    seen = _decide(app, Retry(), Retry())
    app.provider.will_say([delta("Half"), broken()], [broken()], text("Whole"))
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert [failed.attempt for failed in seen] == [1, 2]
    assert app.provider.requests[0] is app.provider.requests[1] is app.provider.requests[2]
    assert types(agent.session).count("step/start") == 1
    message = next(event for event in agent.session.events if event.type == "assistant/message")
    cited = [agent.session.events[seq].data["chunk"] for seq in message.source_event_seqs or ()]
    assert cited == text("Whole")
    assert [request.attempt for request in rebuild_requests(agent.session.events)] == [1, 2, 3]
    assert_rebuilds(app, agent.session)


async def test_what_is_injected_before_a_retry_joins_only_the_next_step(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        agent.inject("news", source={"kind": "plugin", "plugin": "test"})
        return Retry()

    app.root.on(AGENT_REQUEST_ERROR, listen)
    app.provider.will_say([broken()])
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert dialogue(app.provider.requests[1]) == ["user: Hi"]
    assert_rebuilds(app, agent.session)


async def test_a_retry_in_a_new_step_sees_what_was_added(app: LoopApp) -> None:
    async def listen(
        agent: Agent, _failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        agent.inject("news", source={"kind": "plugin", "plugin": "test"})
        return RetryStep()

    app.root.on(AGENT_REQUEST_ERROR, listen)
    app.provider.will_say([broken("CONTEXT_WINDOW_EXCEEDED")])
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert dialogue(app.provider.requests[1]) == ["user: Hi", "user: news"]
    assert [line for line in outline(agent.session.events) if line.startswith("step/")] == [
        "step/start 1",
        "step/end 1",
        "step/start 2",
        "step/end 2",
    ]
    assert_rebuilds(app, agent.session)


async def test_the_agent_serves_the_next_prompt_after_a_failure(app: LoopApp) -> None:
    app.provider.will_say([broken()])
    agent = app.create().agent
    agent.send("one")
    await agent.when_idle()
    agent.send("two")
    await agent.when_idle()
    assert endings(agent.session) == ["error", "completed"]
    assert dialogue(app.provider.requests[1]) == ["user: one", "user: two"]
