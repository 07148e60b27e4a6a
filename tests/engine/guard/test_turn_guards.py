"""Turns that would run away, and calls that come again and again."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dsh_tui.engine.agent.decisions import ContinuationDecision, Continue, Stop
from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.events import AGENT_TURN_CONTINUATION, Continuation
from dsh_tui.engine.guard import max_steps, repeat_reminder
from dsh_tui.engine.guard.max_steps import MaxStepsConfig
from dsh_tui.engine.llm.blocks import text_block, text_of
from dsh_tui.engine.tools.batch import BatchOutcome
from tests.fakes.sample_tools import echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    plugins = ((max_steps, MaxStepsConfig(most=3)), (repeat_reminder, None))
    async with open_tool_bench(*plugins) as bench:
        bench.tools.register(bench.root, echo())
        bench.open_step()
        yield bench


async def goes_on(bench: ToolBench, step: int, default: ContinuationDecision) -> ContinuationDecision:
    asked = Continuation(turn=1, step=step, message=None, default=default, signal=bench.signal)
    return await AgentDispatch(bench.root, bench.agent).decide(AGENT_TURN_CONTINUATION, default, asked)


async def test_a_turn_ends_at_the_limit_with_a_word_about_it(bench: ToolBench) -> None:
    assert await goes_on(bench, 2, Continue()) == Continue()
    assert bench.logged("context/message") == []
    assert await goes_on(bench, 3, Continue()) == Stop()
    (notice,) = bench.logged("context/message")
    assert "stopped after 3 steps" in text_of(notice.data["content"])


async def test_a_turn_that_ends_by_itself_at_the_limit_gets_no_notice(bench: ToolBench) -> None:
    assert await goes_on(bench, 3, Stop()) == Stop()
    assert bench.logged("context/message") == []


def said(outcome: BatchOutcome) -> list[str]:
    return [text_of(context.content) for context in outcome.contexts]


async def test_reminders_come_at_the_third_fifth_and_eighth_time(bench: ToolBench) -> None:
    outcomes = [await bench.run(("echo", '{"text":"a","times":1}')) for _ in range(9)]
    assert [number for number, outcome in enumerate(outcomes, 1) if outcome.contexts] == [3, 5, 8]
    assert "try another way" in said(outcomes[2])[0]
    assert '{"text": "a", "times": 1}' in said(outcomes[4])[0]


async def test_the_order_of_arguments_does_not_matter_but_their_values_do(bench: ToolBench) -> None:
    await bench.run(("echo", '{"text":"a","times":1}'))
    await bench.run(("echo", '{"times":1,"text":"a"}'))
    assert (await bench.run(("echo", '{"text":"b","times":1}'))).contexts == ()
    assert (await bench.run(("echo", '{"times": 1, "text": "a"}'))).contexts != ()


async def test_calls_that_did_not_run_count_too(bench: ToolBench) -> None:
    outcomes = [await bench.run(("missing", "{not json")) for _ in range(3)]
    assert [bool(outcome.contexts) for outcome in outcomes] == [False, False, True]


async def test_long_arguments_are_cut_in_the_reminder(bench: ToolBench) -> None:
    outcomes = [await bench.run(("echo", {"text": "x" * 2_000})) for _ in range(5)]
    assert len(said(outcomes[4])[0]) < 1_000


async def test_what_the_user_says_resets_the_count(bench: ToolBench) -> None:
    for _ in range(2):
        await bench.run(("echo", {}))
    source = {"kind": "user"}
    data = {"id": "m", "turn": 1, "content": (text_block("go on"),), "source": source}
    bench.session.append("steering/message", data)
    assert (await bench.run(("echo", {}))).contexts == ()
