"""A request that the provider refuses as too long: the history is made shorter, and the turn goes on."""

from __future__ import annotations

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.long_results import (
    TOO_LONG,
    WHOLE,
    assert_sound,
    course,
    dumps,
    results,
    says,
    with_compaction,
)
from tests.fakes.loop_app import LoopApp, ask, last, settle
from tests.fakes.scripted_provider import Gate, broken, calls, finish, text

NOTES = "All that was found out so far. " * 60


@pytest.fixture
async def app(root: Context) -> LoopApp:
    app = LoopApp(root, FakeClock())
    await app.start()
    return app


async def test_shortening_that_takes_enough_away_is_followed_by_a_new_step_at_once(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)  # what is said of the window need not be so
    agent = app.create("s1").agent
    app.provider.will_say(dumps("c1"), dumps("c2"), says("Seen."), says("Well."), TOO_LONG, says("Third."))
    await ask(agent, "first", "second", "third")
    assert course(agent.session)[-9:] == [
        "turn/start 3 message", "step/start 1", "compact/start", "compact/prune", "compact/end",
        "step/end 1", "step/start 2", "step/end 2", "turn/end 3 completed",
    ]  # fmt: skip
    assert last(agent.session, "compact/start")["trigger"] == "overflow"
    refused, sent = app.provider.requests[-2:]
    assert refused.messages != sent.messages
    assert [len(result) < len(WHOLE) for result in results(agent.session)] == [True, True]
    assert rebuild_requests(agent.session.events)[-1].step == 2
    assert_sound(app, agent.session)


async def test_the_new_request_is_tried_as_it_is_whatever_it_is_estimated_at(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    much = says(NOTES * 12, 7_000)  # estimated at nearly as much more
    app.provider.will_say(dumps("c1"), says("Seen."), much, TOO_LONG, says("Third."))
    await ask(agent, "first", "second", "third")
    told = [line for line in course(agent.session) if line.startswith("compact/")]
    assert told == ["compact/start", "compact/prune", "compact/end"]
    assert_sound(app, agent.session)


async def test_where_nothing_long_is_left_a_summary_is_made(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG, text("We talked."), says("Third."))
    await ask(agent, "first", "second", "third")
    assert course(agent.session)[-10:] == [
        "turn/start 3 message", "step/start 1", "compact/start", "request/one-shot", "compact/summary",
        "compact/end", "step/end 1", "step/start 2", "step/end 2", "turn/end 3 completed",
    ]  # fmt: skip
    summary = app.provider.requests[-2]
    assert summary.config["maxTokens"] == 1_024  # the window is no larger than what was refused
    assert_sound(app, agent.session)


async def test_what_is_refused_once_more_ends_the_turn_with_the_providers_error(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG, text("We talked."), TOO_LONG)
    await ask(agent, "first", "second", "third")
    reason = last(agent.session, "turn/end")["reason"]
    assert (reason["kind"], reason["code"]) == ("error", "CONTEXT_WINDOW_EXCEEDED")
    assert course(agent.session).count("compact/start") == 1
    assert_sound(app, agent.session)


async def test_shortening_that_was_not_enough_leaves_a_summary_to_try(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(
        dumps("c1"), says("Seen."), says("Well."), TOO_LONG, TOO_LONG, text("We looked."), says("Third.")
    )
    await ask(agent, "first", "second", "third")
    told = [line for line in course(agent.session) if line.startswith("compact/")]
    assert told == [
        "compact/start", "compact/prune", "compact/end", "compact/start", "compact/summary", "compact/end",
    ]  # fmt: skip
    assert last(agent.session, "turn/end")["reason"]["kind"] == "completed"
    assert_sound(app, agent.session)


async def test_a_history_that_is_too_long_to_be_summarised_is_summarised_in_part(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(*[says(NOTES)] * 6, TOO_LONG, [broken()], TOO_LONG, [broken()])
    app.provider.will_say(text("We talked."), says("Seventh."))
    await ask(agent, *[f"prompt {number}" for number in range(6)])
    agent.send("prompt 7")
    await wait_out(app, agent)
    refused, asked = app.provider.requests[6], app.provider.requests[-2]
    assert asked.messages[:-1] == refused.messages[: len(asked.messages) - 1]
    assert len(asked.messages) < 0.7 * len(refused.messages)
    assert last(agent.session, "compact/summary")["messages"] == len(asked.messages) - 1
    assert last(agent.session, "turn/end")["reason"]["kind"] == "completed"
    assert_sound(app, agent.session)


async def test_where_no_part_is_short_enough_the_error_stays(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(*[says(NOTES)] * 6, *[TOO_LONG] * 9)
    await ask(agent, *[f"prompt {number}" for number in range(7)])
    end = last(agent.session, "compact/end")
    assert (end["outcome"], end["error"]) == ("failed", "the conversation is longer than the model takes")
    assert last(agent.session, "turn/end")["reason"]["code"] == "CONTEXT_WINDOW_EXCEEDED"
    assert_sound(app, agent.session)


async def test_where_nothing_else_helps_the_results_of_the_turn_that_runs_are_shortened_too(
    app: LoopApp,
) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(dumps("c1"), TOO_LONG, says("Seen."))
    await ask(agent, "first")
    assert [line for line in course(agent.session) if line.startswith("compact/")] == [
        "compact/start", "compact/end", "compact/start", "compact/prune", "compact/end",
    ]  # fmt: skip
    assert [len(result) < len(WHOLE) for result in results(agent.session)] == [True]
    assert last(agent.session, "turn/end")["reason"]["kind"] == "completed"
    assert_sound(app, agent.session)


async def test_they_are_shortened_after_a_summary_that_was_not_enough_and_then_nothing_is_left(
    app: LoopApp,
) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(says(NOTES), says("Well."), dumps("c1"), TOO_LONG, text("We talked."))
    app.provider.will_say(TOO_LONG, TOO_LONG, says("Fourth."))
    await ask(agent, "first", "second", "third")
    assert [line for line in course(agent.session) if line.startswith("compact/")] == [
        "compact/start", "compact/summary", "compact/end", "compact/start", "compact/prune", "compact/end",
    ]  # fmt: skip
    assert last(agent.session, "turn/end")["reason"]["code"] == "CONTEXT_WINDOW_EXCEEDED"
    await ask(agent, "fourth")
    assert last(agent.session, "turn/end")["reason"]["kind"] == "completed"
    assert_sound(app, agent.session)


async def test_after_an_answer_the_next_refusal_is_dealt_with_again(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent

    async def look(_call: ToolCall) -> ToolOutput:
        return ToolOutput("seen")

    app.add_tool("look", look)
    looks = [*calls(("c1", "look"), words=NOTES)[:-2], finish("tool-calls")]
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG, text("We talked."))
    app.provider.will_say(looks, looks, TOO_LONG, text("We looked."), says("Third."))
    await ask(agent, "first", "second", "third")
    assert course(agent.session).count("compact/summary") == 2
    assert last(agent.session, "turn/end")["reason"]["kind"] == "completed"
    assert_sound(app, agent.session)


@pytest.mark.parametrize("replies", [[[broken("AUTH", "bad key")]], [text(NOTES * 3)]])
async def test_a_compaction_that_comes_to_nothing_leaves_the_error_and_is_not_tried_again(
    app: LoopApp, replies: list[list[object]]
) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG, *replies)  # type: ignore[arg-type]  # chunks
    await ask(agent, "first", "second", "third")
    reason = last(agent.session, "turn/end")["reason"]
    assert (reason["kind"], reason["code"]) == ("error", "CONTEXT_WINDOW_EXCEEDED")
    assert last(agent.session, "compact/end")["outcome"] == "failed"
    assert_sound(app, agent.session)


async def test_a_history_without_an_early_part_leaves_the_error(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(TOO_LONG)
    await ask(agent, NOTES)
    assert last(agent.session, "compact/end")["outcome"] == "refused"
    assert last(agent.session, "turn/end")["reason"]["code"] == "CONTEXT_WINDOW_EXCEEDED"


async def test_without_automatic_compaction_the_error_is_all_there_is(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000, auto=False)
    agent = app.create("s1").agent
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG)
    await ask(agent, "first", "second", "third")
    assert not any(line.startswith("compact/") for line in course(agent.session))
    assert last(agent.session, "turn/end")["reason"]["code"] == "CONTEXT_WINDOW_EXCEEDED"


async def test_a_cancel_meanwhile_stops_the_turn(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    gate = Gate()
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG, [gate])
    await ask(agent, "first", "second")
    agent.send("third")
    await gate.reached()
    agent.cancel("stop")
    await agent.when_idle()
    assert course(agent.session)[-3:] == ["compact/end", "step/end 1", "turn/end 3 aborted"]
    assert_sound(app, agent.session)


async def test_each_wait_for_a_summary_is_told(app: LoopApp) -> None:
    await with_compaction(app, window=1_000_000)
    agent = app.create("s1").agent
    app.provider.will_say(says(NOTES), says("Well."), TOO_LONG, [broken()], [broken()], text("We talked."))
    await ask(agent, "first", "second")
    agent.send("third")
    await wait_out(app, agent)
    waits = [event.data for event in agent.session.events if event.type == "compact/retry"]
    assert [(wait["retry"], wait["maxRetries"], wait["delayMs"]) for wait in waits] == [
        (1, 2, 500), (2, 2, 1_000),
    ]  # fmt: skip
    assert waits[0]["failure"]["message"] == "the server is on fire"
    assert last(agent.session, "compact/end")["outcome"] == "done"
    assert_sound(app, agent.session)


async def wait_out(app: LoopApp, agent: Agent) -> None:
    """Until it is idle, with all waits between attempts passed."""
    for _ in range(4):
        await settle()
        await app.clock.advance(60)
    await agent.when_idle()
