"""Asking a person, and everything that can come instead of an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from dsh_tui.engine.approval import plugin as approval_plugin
from dsh_tui.engine.approval.desk import ApprovalDesk
from dsh_tui.engine.approval.events import APPROVAL_UNAVAILABLE
from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.approval.service import APPROVAL, Approval, ApprovalError
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.definition import ToolCall
from dsh_tui.engine.tools.errors import ToolError
from tests.fakes.sample_tools import EchoArgs, echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text

YES, NO = Answer("allowed-once"), Answer("rejected")


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    async with open_tool_bench((approval_plugin, None)) as bench:
        bench.tools.register(bench.root, echo("write", kind="edit", changes=True))
        yield bench


@pytest.fixture
def approval(bench: ToolBench) -> Approval:
    return bench.root[APPROVAL]


@pytest.fixture
def desk(bench: ToolBench, approval: Approval) -> ApprovalDesk:
    desk = ApprovalDesk()
    approval.answer_with(bench.root, desk)
    return desk


def decided(bench: ToolBench) -> list[Mapping[str, Any]]:  # Any: JSON of approval/decided
    return [event.data for event in bench.logged("approval/decided")]


async def allow(_request: ApprovalRequest, _signal: CancelSignal) -> Answer:
    return Answer("allowed-once", by="user")


async def refuse(_request: ApprovalRequest, _signal: CancelSignal) -> Answer:
    return Answer("rejected", "not that file")


async def boom(_request: ApprovalRequest, _signal: CancelSignal) -> Answer:
    raise RuntimeError("the screen fell over")


async def nonsense(_request: ApprovalRequest, _signal: CancelSignal) -> Any:
    return "yes"


def at_once(_request: ApprovalRequest, _signal: CancelSignal) -> Any:
    raise RuntimeError("before the first await")


async def always(_request: ApprovalRequest, _signal: CancelSignal) -> Any:
    wrong: Any = "allowed-always"
    return Answer(wrong)


@pytest.mark.parametrize(
    ("answerer", "outcome", "by", "ran"),
    [
        (allow, "allowed-once", "user", True),
        (refuse, "rejected", "user", False),
        (boom, "unavailable", "nobody", False),
        (at_once, "unavailable", "nobody", False),
        (nonsense, "unavailable", "nobody", False),
        (always, "unavailable", "nobody", False),
        (None, "unavailable", "nobody", False),
    ],
)
async def test_a_request_logs_one_question_and_one_answer(
    bench: ToolBench, approval: Approval, answerer: Any, outcome: str, by: str, ran: bool
) -> None:
    logging.disable(logging.ERROR)
    try:
        if answerer is not None:
            approval.answer_with(bench.root, answerer)
        await bench.run(("write", {"text": "hi"}))
    finally:
        logging.disable(logging.NOTSET)
    (asked,) = bench.logged("approval/asked")
    assert asked.data == {
        "id": asked.data["id"],
        "callId": "c1",
        "toolName": "write",
        "arguments": '{"text":"hi"}',
        "reason": "The agent wants to change a file.",
        "cwd": "/work",
        "by": "mode",
    }
    (answer,) = decided(bench)
    assert (answer["id"], answer["outcome"], answer["by"]) == (asked.data["id"], outcome, by)
    assert bench.results()[0]["isError"] is not ran


async def test_what_the_person_says_reaches_the_model_and_the_log(
    bench: ToolBench, approval: Approval
) -> None:
    approval.answer_with(bench.root, refuse)
    await bench.run(("write", {}))
    assert text(bench.results()[0]).endswith("They said:\nnot that file")
    assert decided(bench)[0]["feedback"] == "not that file"


async def test_a_pending_request_waits_for_the_desk(
    bench: ToolBench, approval: Approval, desk: ApprovalDesk
) -> None:
    running = asyncio.create_task(bench.run(("write", {"text": "hi"})))
    await bench.clock.settle()
    (request,) = approval.pending(bench.session.id)
    assert list(desk.waiting) == [request]
    assert (request.tool_name, request.call_id, str(request.cwd)) == ("write", "c1", "/work")
    assert desk.answer(request.id, YES) is True
    assert desk.answer(request.id, NO) is False
    await running
    assert decided(bench)[0]["outcome"] == "allowed-once"
    assert approval.pending(bench.session.id) == ()
    assert desk.waiting == ()


async def test_an_answer_after_the_cancel_is_reported_as_late_and_dropped(
    bench: ToolBench, approval: Approval, desk: ApprovalDesk
) -> None:
    running = asyncio.create_task(bench.run(("write", {})))
    await bench.clock.settle()
    (request,) = desk.waiting
    bench.signal.cancel("stop", {"kind": "user"})
    assert desk.waiting == ()
    assert desk.answer(request.id, YES) is False
    await running
    assert decided(bench) == [{"id": request.id, "callId": "c1", "outcome": "cancelled", "by": "cancel"}]
    assert desk.answer(request.id, YES) is False
    assert bench.results()[0]["error"]["code"] == "APPROVAL_CANCELLED"


async def test_a_cancel_wins_over_an_answer_of_the_same_moment(bench: ToolBench, desk: ApprovalDesk) -> None:
    running = asyncio.create_task(bench.run(("write", {})))
    await bench.clock.settle()
    assert desk.answer(desk.waiting[0].id, YES) is True
    bench.signal.cancel("stop")
    await running
    assert decided(bench)[0]["outcome"] == "cancelled"


async def test_an_answerer_that_will_not_stop_keeps_nobody_waiting(
    bench: ToolBench, approval: Approval
) -> None:
    release = asyncio.Event()

    async def stubborn(_request: ApprovalRequest, _signal: CancelSignal) -> Answer:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return Answer("allowed-once")

    approval.answer_with(bench.root, stubborn)
    running = asyncio.create_task(bench.run(("write", {})))
    await bench.clock.settle()
    bench.signal.cancel("stop")
    await running
    release.set()
    await bench.clock.settle()
    assert [answer["outcome"] for answer in decided(bench)] == ["cancelled"]


async def test_only_one_answerer_may_be_mounted(bench: ToolBench, approval: Approval) -> None:
    take_away = approval.answer_with(bench.root, allow)
    with pytest.raises(ApprovalError):
        approval.answer_with(bench.root, refuse)
    await take_away()
    approval.answer_with(bench.root, refuse)
    await bench.run(("write", {}))
    assert decided(bench)[0]["outcome"] == "rejected"


async def test_a_front_end_that_goes_leaves_its_requests_unavailable(
    bench: ToolBench, approval: Approval
) -> None:
    def front_end(ctx: Context, _config: object) -> None:
        approval.answer_with(ctx, ApprovalDesk())

    fiber = bench.root.plugin(front_end)
    await fiber
    running = asyncio.create_task(bench.run(("write", {})))
    await bench.clock.settle()
    await fiber.dispose()
    await running
    assert decided(bench)[0]["outcome"] == "unavailable"


async def test_calls_that_nobody_could_approve_are_kept_and_announced(
    bench: ToolBench, approval: Approval
) -> None:
    heard: list[tuple[str, str]] = []
    bench.root.on(APPROVAL_UNAVAILABLE, lambda call, reason: heard.append((call.name, reason)))
    await bench.run(("write", {"text": "hi"}))
    (refusal,) = approval.unanswered(bench.session.id)
    assert (refusal.tool_name, refusal.call_id, refusal.arguments) == ("write", "c1", '{"text":"hi"}')
    assert heard == [("write", refusal.reason)]
    assert approval.unanswered("another") == ()
    bench.root[SESSIONS].detach(bench.session)
    assert approval.unanswered(bench.session.id) == ()
    assert "nobody is there" in text(bench.results()[0])


async def test_the_preview_is_asked_for_once_and_logged(bench: ToolBench, approval: Approval) -> None:
    async def preview(args: EchoArgs, call: ToolCall) -> Mapping[str, Any]:
        return {"card": "generic", "text": f"{call.name} {args.text}"}

    bench.tools.register(bench.root, echo("edit", kind="edit", changes=True, preview=preview))
    approval.answer_with(bench.root, allow)
    await bench.run(("edit", {"text": "x"}))
    (asked,) = bench.logged("approval/asked")
    assert asked.data["preview"] == {"card": "generic", "text": "edit x"}


@pytest.mark.parametrize("made", [ValueError("no"), {"n": float("nan")}, 7, None])
async def test_a_preview_that_fails_does_not_keep_the_person_from_deciding(
    bench: ToolBench, approval: Approval, made: Any
) -> None:
    async def preview(_args: EchoArgs, _call: ToolCall) -> Any:
        if isinstance(made, Exception):
            raise made
        return made

    bench.tools.register(bench.root, echo("edit", kind="edit", changes=True, preview=preview))
    approval.answer_with(bench.root, allow)
    await bench.run(("edit", {}))
    assert "preview" not in bench.logged("approval/asked")[0].data
    assert bench.results()[0]["isError"] is False


@pytest.mark.parametrize("inside", [True, False])
async def test_nobody_is_asked_about_a_call_that_cannot_succeed_unless_it_reaches_outside(
    bench: ToolBench, approval: Approval, *, inside: bool
) -> None:
    async def preview(_args: EchoArgs, _call: ToolCall) -> Any:
        raise ToolError("The text is not in the file.", code="FS_EDIT_NOT_FOUND")

    tool = echo("edit", kind="edit", changes=True, preview=preview, inside_workspace=lambda *_: inside)
    bench.tools.register(bench.root, tool)
    approval.answer_with(bench.root, allow)
    await bench.run(("edit", {}))
    (result,) = bench.results()
    if inside:
        assert bench.logged("approval/asked") == []
        assert result["error"]["code"] == "FS_EDIT_NOT_FOUND"
        assert "not in the file" in text(result)
    else:
        assert len(bench.logged("approval/asked")) == 1
        assert result["isError"] is False


async def test_the_requests_of_one_step_come_one_after_the_other(
    bench: ToolBench, approval: Approval, desk: ApprovalDesk
) -> None:
    running = asyncio.create_task(bench.run(("write", {}), ("write", {})))
    for call_id in ("c1", "c2"):
        await bench.clock.settle()
        (request,) = desk.waiting
        assert request.call_id == call_id
        desk.answer(request.id, YES)
    await running
    assert [answer["outcome"] for answer in decided(bench)] == ["allowed-once"] * 2


async def test_the_end_of_the_task_logs_the_request_as_cancelled(
    bench: ToolBench, approval: Approval, desk: ApprovalDesk
) -> None:
    running = asyncio.create_task(bench.run(("write", {})))
    await bench.clock.settle()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [answer["outcome"] for answer in decided(bench)] == ["cancelled"]
    assert approval.pending(bench.session.id) == ()
    assert bench.results()[0]["isError"] is True
