"""One call from its raw arguments to its logged result."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from dsh_tui.engine.agent.decisions import HookContext
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.tools.decisions import (
    Accept,
    Allow,
    ApprovalOutcome,
    Ask,
    Block,
    Deny,
    Outcome,
    PostDecision,
    PreDecision,
)
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.errors import ToolError
from dsh_tui.engine.tools.events import ASK, EXECUTE, POST_EXECUTE, PRE_EXECUTE, TOOL_RESULT
from tests.fakes.sample_tools import doing, echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    async with open_tool_bench() as bench:
        bench.tools.register(bench.root, echo())
        yield bench


def decide(bench: ToolBench, decision: PreDecision) -> None:
    async def listener(_call: ToolCall, _tool: AnyTool, _next: Next[PreDecision]) -> PreDecision:
        return decision

    bench.root.on(PRE_EXECUTE, listener)


def answer(bench: ToolBench, outcome: Outcome, feedback: str | None = None) -> None:
    async def listener(
        _call: ToolCall, _tool: AnyTool, _asked: Ask, _next: Next[ApprovalOutcome]
    ) -> ApprovalOutcome:
        return ApprovalOutcome(outcome, feedback)

    bench.root.on(ASK, listener)


def conclude(bench: ToolBench, decision: PostDecision) -> None:
    async def listener(_call: ToolCall, _output: ToolOutput, _next: Next[PostDecision]) -> PostDecision:
        return decision

    bench.root.on(POST_EXECUTE, listener)


async def result_of(bench: ToolBench, name: str, arguments: Any) -> Any:
    await bench.run((name, arguments))
    (result,) = bench.results()
    return result


async def test_a_call_and_its_result_are_logged_with_the_time_it_took(bench: ToolBench) -> None:
    result = await result_of(bench, "echo", {"text": "hi", "times": 2})
    assert text(result) == "hihi"
    assert result["isError"] is False
    assert result["meta"] == {"durationMs": 0}
    (call,) = bench.logged("tool/call")
    assert call.data == {
        "turn": 1,
        "step": 1,
        "callId": "c1",
        "name": "echo",
        "arguments": '{"text":"hi","times":2}',
    }
    assert bench.logged("tool/result")[0].source_event_seqs == (call.seq,)


async def test_an_unknown_tool_is_an_error_that_names_the_known_ones(bench: ToolBench) -> None:
    result = await result_of(bench, "ehco", {})
    assert result["error"] == {"name": "UnknownTool", "code": "UNKNOWN_TOOL"}
    assert text(result) == "There is no tool `ehco`. The tools here: echo."


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ('{"text": "a', "not valid JSON"),
        ("[1]", "not an object"),
        ('{"times": 9007199254740993}', "beyond 2^53"),
        ('{"times": NaN}', "NaN"),
        ("[" * 5_000, "nested too deeply"),
        ('{"times": "many"}', "- times: input should be a valid integer"),
        ('{"txet": "a"}', "- txet: is not a parameter of this tool (its parameters: text, times)"),
        ("plain words", "not valid JSON"),
    ],
)
async def test_bad_arguments_tell_the_model_what_is_wrong_and_where(
    bench: ToolBench, raw: str, words: str
) -> None:
    result = await result_of(bench, "echo", raw)
    assert result["error"] == {"name": "InvalidArguments", "code": "INVALID_ARGS"}
    assert words in text(result)


@pytest.mark.parametrize("raw", ["", "  ", "{}"])
async def test_empty_arguments_are_no_arguments(bench: ToolBench, raw: str) -> None:
    assert (await result_of(bench, "echo", raw))["isError"] is False


async def test_violations_inside_lists_name_their_path(bench: ToolBench) -> None:
    class Item(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")
        content: str

    class Items(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")
        todos: tuple[Item, ...]

    bench.tools.register(bench.root, echo("todo", parameters=Items))
    result = await result_of(bench, "todo", {"todos": [{"content": "a"}, {}]})
    assert "- todos[1].content: is required" in text(result)


async def test_the_arguments_are_frozen_before_anyone_sees_them(bench: ToolBench) -> None:
    async def meddle(call: ToolCall, _tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        with pytest.raises(TypeError, match="frozen"):
            call.args["text"] = "changed"
        with pytest.raises(FrozenInstanceError):
            call.name = "changed"  # type: ignore[misc]  # the point of the test
        return await following()

    bench.root.on(PRE_EXECUTE, meddle)
    assert text(await result_of(bench, "echo", {"text": "kept"})) == "kept"


async def test_a_denied_call_does_not_run_and_still_reaches_post_execute(bench: ToolBench) -> None:
    seen: list[ToolOutput] = []

    async def watch(_call: ToolCall, output: ToolOutput, following: Next[PostDecision]) -> PostDecision:
        seen.append(output)
        return await following()

    bench.root.on(POST_EXECUTE, watch)
    decide(bench, Deny("Not on a Sunday."))
    result = await result_of(bench, "echo", {"text": "hi"})
    assert text(result) == "Not on a Sunday."
    assert result["error"]["code"] == "TOOL_DENIED"
    assert "meta" not in result
    assert [output.is_error for output in seen] == [True]


@pytest.mark.parametrize(
    ("outcome", "feedback", "code", "words"),
    [
        ("rejected", None, "APPROVAL_REJECTED", "The user declined this call"),
        ("rejected", "use uv", "APPROVAL_REJECTED", "They said:\nuse uv"),
        ("cancelled", None, "APPROVAL_CANCELLED", "stopped the turn"),
        ("unavailable", None, "APPROVAL_UNAVAILABLE", "nobody is there to give it"),
    ],
)
async def test_a_call_that_is_not_approved_says_why(
    bench: ToolBench, outcome: Outcome, feedback: str | None, code: str, words: str
) -> None:
    decide(bench, Ask("May it?"))
    answer(bench, outcome, feedback)
    result = await result_of(bench, "echo", {"text": "hi"})
    assert result["error"] == {"name": "ToolDenied", "code": code}
    assert words in text(result)


async def test_an_approved_call_runs(bench: ToolBench) -> None:
    decide(bench, Ask("May it?"))
    answer(bench, "allowed-once")
    assert text(await result_of(bench, "echo", {"text": "hi"})) == "hi"


async def test_without_an_approval_service_a_question_is_refused(bench: ToolBench) -> None:
    decide(bench, Ask("May it?"))
    assert (await result_of(bench, "echo", {}))["error"]["code"] == "APPROVAL_UNAVAILABLE"


async def test_a_guard_denies_what_everybody_allowed(bench: ToolBench) -> None:
    async def guard(call: ToolCall, _tool: AnyTool) -> str | None:
        return "Read only now." if call.name == "echo" else None

    bench.tools.guard(bench.root, guard)
    decide(bench, Ask("May it?"))
    answer(bench, "allowed-once")
    assert text(await result_of(bench, "echo", {})) == "Read only now."


class Rude(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class NoException(BaseException):
    pass


def _raise(error: BaseException) -> Callable[[ToolCall], Awaitable[object]]:
    async def body(_call: ToolCall) -> object:
        raise error

    return body


HOSTILE: list[tuple[BaseException, str, str | None]] = [
    (ToolError("Read the file first.", code="FS_NOT_OBSERVED"), "Read the file first.", "FS_NOT_OBSERVED"),
    (ValueError("plain"), "plain", None),
    (ValueError(), "ValueError", None),
    (Rude(), "Rude", None),
    (NoException("odd"), "odd", None),
    (SystemExit(3), "3", None),
    (asyncio.CancelledError(), "CancelledError", None),
    (ToolError("x", code=7), "x", None),  # type: ignore[arg-type]  # hostile
]


@pytest.mark.parametrize(("error", "words", "code"), HOSTILE, ids=lambda value: repr(value)[:20])
async def test_whatever_a_body_raises_becomes_a_result(
    bench: ToolBench, error: BaseException, words: str, code: str | None
) -> None:
    bench.tools.register(bench.root, doing(_raise(error)))
    result = await result_of(bench, "do", {})
    assert result["isError"] is True
    assert text(result) == words
    assert result.get("error", {}).get("code") == code


@pytest.mark.parametrize(("error", "words", "code"), HOSTILE, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("stage", ["pre", "around", "post"])
async def test_whatever_a_listener_raises_becomes_a_result(
    bench: ToolBench, stage: str, error: BaseException, words: str, code: str | None
) -> None:
    async def boom(*_args: object) -> Any:
        raise error

    bench.root.on({"pre": PRE_EXECUTE, "around": EXECUTE, "post": POST_EXECUTE}[stage], boom)  # type: ignore[call-overload]  # three keys in one
    result = await result_of(bench, "echo", {"text": "said"})
    assert result["isError"] is True
    assert words in text(result)
    assert result.get("error", {}).get("code") == code
    assert text(result).startswith("said") == (stage == "post")


ANYTHING_ELSE: Any = 7
ANYTHING: Any = ToolOutput  # Any: fields of the wrong type on purpose


@pytest.mark.parametrize(
    "output",
    [
        "text",
        None,
        ANYTHING(7),
        ANYTHING((3,)),
        ANYTHING("x", meta={"n": math.nan}),
        ANYTHING("x", meta=3),
        ANYTHING("x", error=object()),
        ANYTHING("x", error={"name": "n"}),
        ANYTHING("x", error={"name": "n", "code": 3}),
    ],
)
async def test_an_output_of_the_wrong_make_is_an_error(bench: ToolBench, output: Any) -> None:
    async def execute(_args: object, _call: ToolCall) -> Any:
        return output

    bench.tools.register(bench.root, echo("bad", execute=execute))
    result = await result_of(bench, "bad", {})
    assert result["error"]["code"] == "INVALID_TOOL_OUTPUT"


async def test_an_around_listener_may_answer_without_the_body(bench: ToolBench) -> None:
    async def recorded(_call: ToolCall, _tool: AnyTool, _next: Next[ToolOutput]) -> ToolOutput:
        return ToolOutput("from the tape")

    bench.root.on(EXECUTE, recorded)
    assert text(await result_of(bench, "echo", {"text": "live"})) == "from the tape"


async def test_post_execute_may_change_the_content_and_add_context(bench: ToolBench) -> None:
    note = HookContext((text_block("mind this"),), plugin_source("test"))
    conclude(bench, Accept(content="shorter", additional_context=(note,)))
    outcome = await bench.run(("echo", {"text": "long"}))
    assert text(bench.results()[0]) == "shorter"
    assert outcome.contexts == (note,)


async def test_post_execute_may_block_a_result(bench: ToolBench) -> None:
    conclude(bench, Block(feedback="Do it over."))
    result = await result_of(bench, "echo", {"text": "secret"})
    assert text(result) == "Do it over."
    assert result["error"] == {"name": "ResultBlocked", "code": "RESULT_BLOCKED"}


@pytest.mark.parametrize(
    "decision",
    [
        None,
        Allow(),
        Accept(content=ANYTHING_ELSE),
        Accept(additional_context=ANYTHING_ELSE),
        Accept(additional_context=(ANYTHING_ELSE,)),
        Block(feedback=ANYTHING_ELSE),
    ],
)
async def test_a_decision_of_the_wrong_make_spoils_the_result_and_nothing_else(
    bench: ToolBench, decision: Any
) -> None:
    conclude(bench, decision)
    outcome = await bench.run(("echo", {"text": "said"}))
    assert bench.results()[0]["isError"] is True
    assert outcome.contexts == ()


async def test_the_tool_has_the_last_word_on_its_output(bench: ToolBench) -> None:
    def shout(output: ToolOutput) -> ToolOutput:
        assert not isinstance(output.content, str)
        return ToolOutput(output.content[0]["text"].upper())  # type: ignore[typeddict-item]  # text it is

    bench.tools.register(bench.root, echo("loud", finalize=shout))
    assert text(await result_of(bench, "loud", {"text": "hi"})) == "HI"


async def test_the_final_result_is_announced_frozen(bench: ToolBench) -> None:
    seen: list[tuple[str, ToolOutput]] = []
    bench.root.on(TOOL_RESULT, lambda call, output: seen.append((call.call_id, output)))
    await bench.run(("echo", {"text": "hi"}))
    ((call_id, output),) = seen
    assert call_id == "c1"
    assert output.content == (text_block("hi"),)


async def test_a_body_past_its_deadline_is_a_timeout(bench: ToolBench) -> None:
    async def forever(call: ToolCall) -> object:
        return await call.signal.race(asyncio.Event().wait())

    bench.tools.register(bench.root, doing(forever, timeout_ms=lambda _args: 1500))
    running = asyncio.create_task(bench.run(("do", {})))
    await bench.clock.advance(1.5)
    await running
    (result,) = bench.results()
    assert result["error"] == {"name": "ToolTimeout", "code": "TOOL_TIMEOUT"}
    assert result["meta"]["durationMs"] == 1500


async def test_a_body_within_its_deadline_leaves_no_timer(bench: ToolBench) -> None:
    bench.tools.register(bench.root, echo("quick", timeout_ms=lambda _args: 1500))
    assert text(await result_of(bench, "quick", {"text": "hi"})) == "hi"
    await bench.clock.settle()
    assert bench.clock.sleepers == 0


async def test_a_broken_deadline_is_a_failed_call(bench: ToolBench) -> None:
    def deadline(_args: object) -> int:
        raise ValueError("no clock")

    bench.tools.register(bench.root, echo("late", timeout_ms=deadline))
    assert text(await result_of(bench, "late", {})) == "no clock"


async def test_allow_is_the_default(bench: ToolBench) -> None:
    decide(bench, Allow())
    assert (await result_of(bench, "echo", {}))["isError"] is False
