"""Several calls of one step: order, overlap, barriers, and the end of a turn in their midst."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.agent.decisions import HookContext
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.tools.batch import GRACE
from dsh_tui.engine.tools.decisions import Accept, Allow, ApprovalOutcome, Ask, PostDecision, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.events import ASK, EXECUTE, POST_EXECUTE, PRE_EXECUTE
from tests.fakes.sample_tools import Gates, doing, echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    async with open_tool_bench() as bench:
        yield bench


@pytest.fixture
def gates(bench: ToolBench) -> Gates:
    gates = Gates()
    bench.tools.register(bench.root, doing(gates, "beside"))
    bench.tools.register(bench.root, doing(gates, "alone", is_concurrency_safe=None))
    return gates


async def test_bodies_overlap_and_results_commit_in_model_order(bench: ToolBench, gates: Gates) -> None:
    running = asyncio.create_task(bench.run(*[("beside", {})] * 3))
    await bench.clock.settle()
    assert gates.started == ["c1", "c2", "c3"]
    for call_id in ("c3", "c2"):
        gates.open(call_id)
        await bench.clock.settle()
    assert bench.results() == []
    gates.open("c1")
    await running
    assert bench.order() == ["call c1", "call c2", "call c3", "result c1", "result c2", "result c3"]
    assert [text(result) for result in bench.results()] == ["done c1", "done c2", "done c3"]


async def test_a_call_that_is_not_declared_safe_waits_and_is_waited_for(
    bench: ToolBench, gates: Gates
) -> None:
    running = asyncio.create_task(bench.run(("beside", {}), ("beside", {}), ("alone", {}), ("beside", {})))
    await bench.clock.settle()
    assert gates.started == ["c1", "c2"]
    gates.open("c1", "c2")
    await bench.clock.settle()
    assert gates.started == ["c1", "c2", "c3"]
    gates.open("c3", "c4")
    await running
    assert bench.order()[4:] == ["call c3", "result c3", "call c4", "result c4"]


@pytest.mark.parametrize("verdict", [1, "yes", None, False])
async def test_only_exactly_true_runs_beside_others(bench: ToolBench, gates: Gates, verdict: object) -> None:
    bench.tools.register(bench.root, doing(gates, "maybe", is_concurrency_safe=lambda _args: verdict))
    running = asyncio.create_task(bench.run(("maybe", {}), ("maybe", {})))
    await bench.clock.settle()
    assert gates.started == ["c1"]
    gates.open("c1", "c2")
    await running


async def test_a_classifier_that_raises_means_alone(bench: ToolBench, gates: Gates) -> None:
    def broken(_args: object) -> bool:
        raise ValueError

    bench.tools.register(bench.root, doing(gates, "broken", is_concurrency_safe=broken))
    running = asyncio.create_task(bench.run(("broken", {}), ("broken", {})))
    await bench.clock.settle()
    assert gates.started == ["c1"]
    gates.open("c1", "c2")
    await running


async def test_a_call_is_classified_when_its_turn_comes(bench: ToolBench, gates: Gates) -> None:
    safe = True

    async def flip(_call: ToolCall) -> str:
        nonlocal safe
        safe = False
        return "flipped"

    bench.tools.register(bench.root, doing(flip, "flip", is_concurrency_safe=None))
    bench.tools.register(bench.root, doing(gates, "moody", is_concurrency_safe=lambda _args: safe))
    running = asyncio.create_task(bench.run(("flip", {}), ("moody", {}), ("moody", {})))
    await bench.clock.settle()
    assert gates.started == ["c2"]
    gates.open("c2", "c3")
    await running


async def test_at_most_ten_bodies_run_at_once(bench: ToolBench, gates: Gates) -> None:
    running = asyncio.create_task(bench.run(*[("beside", {})] * 12))
    await bench.clock.settle()
    assert len(gates.started) == 10
    gates.open("c5")
    await bench.clock.settle()
    assert len(gates.started) == 11
    gates.open(*(f"c{number}" for number in range(1, 13)))
    await running
    assert [result["callId"] for result in bench.results()] == [f"c{number}" for number in range(1, 13)]


async def test_pre_and_post_run_in_order_and_contexts_are_collected(bench: ToolBench, gates: Gates) -> None:
    seen: list[str] = []

    async def pre(call: ToolCall, _tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        seen.append(f"pre {call.call_id}")
        return await following()

    async def post(call: ToolCall, _output: ToolOutput, _next: Next[PostDecision]) -> PostDecision:
        seen.append(f"post {call.call_id}")
        return Accept(additional_context=(HookContext((text_block(call.call_id),), plugin_source("test")),))

    bench.root.on(PRE_EXECUTE, pre)
    bench.root.on(POST_EXECUTE, post)
    running = asyncio.create_task(bench.run(*[("beside", {})] * 3))
    await bench.clock.settle()
    gates.open("c3", "c2")
    await bench.clock.settle()
    gates.open("c1")
    outcome = await running
    assert seen == ["pre c1", "pre c2", "pre c3", "post c1", "post c2", "post c3"]
    assert [context.content[0] for context in outcome.contexts] == [
        text_block("c1"),
        text_block("c2"),
        text_block("c3"),
    ]


async def test_a_step_concludes_only_if_all_its_calls_say_so(bench: ToolBench) -> None:
    async def last(_args: object, _call: ToolCall) -> ToolOutput:
        return ToolOutput("over", concludes=True)

    bench.tools.register(bench.root, echo())
    bench.tools.register(bench.root, echo("last", execute=last))
    assert (await bench.run(("last", {}))).concludes is True
    assert (await bench.run(("last", {}), ("echo", {}))).concludes is False
    assert (await bench.run()).concludes is False


def cancel_in(bench: ToolBench, stage: str) -> None:
    """Cancel the turn while call c1 is in this stage; only ``ask`` then waits for its end."""

    def fire(call: ToolCall) -> None:
        if call.call_id == "c1":
            bench.signal.cancel("stop", {"kind": "user"})

    async def pre(call: ToolCall, _tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        if stage == "pre":
            fire(call)
        return Ask("May it?") if stage == "ask" else await following()

    async def ask(
        call: ToolCall, _tool: AnyTool, _asked: Ask, _next: Next[ApprovalOutcome]
    ) -> ApprovalOutcome:
        fire(call)
        return ApprovalOutcome("cancelled")

    async def around(call: ToolCall, _tool: AnyTool, following: Next[ToolOutput]) -> ToolOutput:
        if stage == "around":
            fire(call)
        return await following()

    async def body(call: ToolCall) -> object:
        if stage == "body":
            fire(call)
            call.signal.check()
        return "finished"

    async def post(call: ToolCall, _output: ToolOutput, following: Next[PostDecision]) -> PostDecision:
        if stage == "post":
            fire(call)
        return await following()

    bench.root.on(PRE_EXECUTE, pre)
    bench.root.on(ASK, ask)
    bench.root.on(EXECUTE, around)
    bench.root.on(POST_EXECUTE, post)
    bench.tools.register(bench.root, doing(body, is_concurrency_safe=None))


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        ("pre", "ABORTED_BEFORE_DISPATCH"),
        ("ask", "APPROVAL_CANCELLED"),
        ("around", "ABORTED_BEFORE_DISPATCH"),
        ("body", "ABORTED"),
        ("post", None),
    ],
)
async def test_a_cancel_at_any_stage_answers_this_call_and_the_rest(
    bench: ToolBench, stage: str, code: str | None
) -> None:
    cancel_in(bench, stage)
    await bench.run(*[("do", {})] * 3)
    assert bench.order() == ["call c1", "result c1", "call c2", "result c2", "call c3", "result c3"]
    codes = [result.get("error", {}).get("code") for result in bench.results()]
    assert codes == [code, "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]


async def test_a_cancel_overrides_success_and_keeps_what_came_back(bench: ToolBench) -> None:
    async def stubborn(_call: ToolCall) -> object:
        bench.signal.cancel("stop")
        return "written anyway"

    bench.tools.register(bench.root, doing(stubborn))
    await bench.run(("do", {}))
    (result,) = bench.results()
    assert result["error"]["code"] == "ABORTED"
    assert text(result).endswith("What it returned:\nwritten anyway")


async def test_bodies_that_do_not_heed_the_signal_are_cancelled_together_after_one_grace(
    bench: ToolBench,
) -> None:
    running, both = set[str](), asyncio.Event()

    async def deaf(call: ToolCall) -> object:
        running.add(call.call_id)
        if len(running) == 2:
            both.set()
        try:
            await asyncio.Event().wait()
        finally:
            running.discard(call.call_id)
        return "never"

    bench.tools.register(bench.root, doing(deaf))
    batch = asyncio.ensure_future(bench.run(("do", {}), ("do", {})))
    await both.wait()
    bench.signal.cancel("stop")
    await bench.clock.advance(GRACE - 1)
    assert running == {"c1", "c2"}
    await bench.clock.advance(1)
    await batch
    assert not running
    assert bench.clock.sleepers == 0
    assert [result["error"]["code"] for result in bench.results()] == ["ABORTED", "ABORTED"]


async def test_a_cancel_does_not_override_a_failure(bench: ToolBench) -> None:
    async def failing(_call: ToolCall) -> object:
        bench.signal.cancel("stop")
        raise ValueError("disk full")

    bench.tools.register(bench.root, doing(failing))
    await bench.run(("do", {}))
    assert text(bench.results()[0]) == "disk full"


async def test_a_cancel_before_the_batch_answers_every_call(bench: ToolBench, gates: Gates) -> None:
    bench.signal.cancel("stop")
    await bench.run(("beside", {}), ("nonsense", "{"))
    assert gates.started == []
    assert [result["error"]["code"] for result in bench.results()] == ["ABORTED_BEFORE_DISPATCH"] * 2


async def test_started_bodies_are_drained_after_a_cancel(bench: ToolBench) -> None:
    gate, finished = asyncio.Event(), []

    async def slow(call: ToolCall) -> object:
        await gate.wait()
        finished.append(call.call_id)
        return "done"

    bench.tools.register(bench.root, doing(slow))
    bench.tools.register(bench.root, doing(slow, "after", is_concurrency_safe=None))
    running = asyncio.create_task(bench.run(("do", {}), ("do", {}), ("after", {})))
    await bench.clock.settle()
    bench.signal.cancel("stop")
    await bench.clock.settle()
    assert not running.done()
    gate.set()
    await running
    assert finished == ["c1", "c2"]
    codes = [result["error"]["code"] for result in bench.results()]
    assert codes == ["ABORTED", "ABORTED", "ABORTED_BEFORE_DISPATCH"]


async def test_the_end_of_the_task_ends_the_bodies_and_leaves_no_call_open(
    bench: ToolBench, gates: Gates
) -> None:
    running = asyncio.create_task(bench.run(("beside", {}), ("beside", {}), ("alone", {})))
    await bench.clock.settle()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    codes = [result["error"]["code"] for result in bench.results()]
    assert codes == ["ABORTED", "ABORTED", "ABORTED_BEFORE_DISPATCH"]
    assert gates.started == ["c1", "c2"]


CALLS = st.lists(st.tuples(st.sampled_from(["beside", "alone", "missing"]), st.integers(0, 3)), max_size=8)


@settings(max_examples=40, deadline=None)
@given(calls=CALLS, cancel_after=st.one_of(st.none(), st.integers(0, 12)))
def test_every_call_gets_one_result_in_model_order(
    calls: list[tuple[str, int]], cancel_after: int | None
) -> None:
    async def cancel(bench: ToolBench, after: int) -> None:
        for _ in range(after):
            await asyncio.sleep(0)
        bench.signal.cancel("stop")

    async def scenario() -> None:
        ticks = {f"c{number}": delay for number, (_, delay) in enumerate(calls, 1)}

        async def body(call: ToolCall) -> object:
            for _ in range(ticks[call.call_id]):
                await asyncio.sleep(0)
            return "done"

        async with open_tool_bench() as bench:
            bench.tools.register(bench.root, doing(body, "beside"))
            bench.tools.register(bench.root, doing(body, "alone", is_concurrency_safe=None))
            batch = bench.run(*[(name, {}) for name, _ in calls])
            if cancel_after is None:
                await batch
            else:
                await asyncio.gather(batch, cancel(bench, cancel_after))
            ids = [f"c{number}" for number in range(1, len(calls) + 1)]
            assert [event.data["callId"] for event in bench.logged("tool/call")] == ids
            assert [result["callId"] for result in bench.results()] == ids

    asyncio.run(scenario())


async def test_permission_is_asked_once_a_call(bench: ToolBench, gates: Gates) -> None:
    asked: list[Any] = []

    async def count(call: ToolCall, _tool: AnyTool, _next: Next[PreDecision]) -> PreDecision:
        asked.append(call.call_id)
        return Allow()

    bench.root.on(PRE_EXECUTE, count)
    gates.open("c1", "c2", "c3")
    await bench.run(("beside", {}), ("alone", {}), ("beside", {}))
    assert asked == ["c1", "c2", "c3"]
