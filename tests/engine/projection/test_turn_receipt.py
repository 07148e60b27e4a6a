from __future__ import annotations

from dsh_tui.engine.projection.cut_turn import MOST, cut_notice
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import (
    BlockView,
    CommandRun,
    Decision,
    FileChange,
    NoticeView,
    ToolView,
    TurnEndView,
)
from tests.fakes.history_log import HEADER, history
from tests.fakes.session_logs import bare_session, open_step, open_turn


def blocks() -> list[BlockView]:
    fold = SessionFold(HEADER)
    fold.apply_all(history())
    return list(fold.view().blocks)


def tool(number: int, cut: str) -> ToolView:
    return ToolView(
        seq=number,
        call_id=f"c{number}",
        name="bash",
        verb="Run",
        subject=f"make {number}",
        state="cancelled",
        arguments="{}",
        cut=cut,  # type: ignore[arg-type]  # one of the words
    )


def test_a_receipt_sums_up_files_commands_and_answers() -> None:
    end = next(block for block in blocks() if isinstance(block, TurnEndView))
    receipt = end.receipt
    assert receipt.files == (FileChange("src/retry.py", 1, 1, False),)
    assert receipt.commands == (CommandRun("pytest tests/test_retry.py -q", "ok", True, 2_400),)
    assert receipt.decisions == (
        Decision("Edit src/retry.py", "allowed", ""),
        Decision("Run pytest tests/test_retry.py -q", "allowed", ""),
    )
    assert receipt.calls == 3


def test_answers_of_one_turn_are_not_told_in_the_next() -> None:
    ends = [block for block in blocks() if isinstance(block, TurnEndView)]
    assert [len(end.receipt.decisions) for end in ends] == [2, 0, 0, 0, 0, 1]


def test_a_cut_turn_says_which_calls_may_have_run() -> None:
    *_, deploy, note, notice, end = blocks()
    assert isinstance(deploy, ToolView)
    assert (deploy.state, deploy.cut, deploy.summary) == ("cancelled", "may have run", "may have run")
    assert isinstance(note, ToolView)
    assert (note.state, note.cut) == ("cancelled", "not started")
    assert isinstance(notice, NoticeView)
    assert notice.text.splitlines() == [
        "Turn 6 was cut. The program ended before this turn did.",
        "May have run; check before you repeat it:",
        "  Run  make deploy",
    ]
    assert notice.hint.splitlines() == ["Not started, nothing was done:", "  Edit  CHANGES.md"]
    assert isinstance(end, TurnEndView)
    assert end.receipt.commands == (CommandRun("make deploy", "may have run", False, 3_800),)


def test_a_turn_cut_in_an_answer_left_no_call_open() -> None:
    notice = cut_notice(9, 3, [])
    assert notice.text == "Turn 3 was cut. The program ended before this turn did."
    assert "No call was left open" in notice.hint


def test_of_many_cut_calls_the_first_are_named_and_the_rest_counted() -> None:
    notice = cut_notice(9, 3, [tool(number, "may have run") for number in range(MOST + 3)])
    lines = notice.text.splitlines()
    assert lines[1] == "May have run; check before you repeat them:"
    assert len(lines) == 2 + MOST + 1
    assert lines[-1] == "  and 3 more"


def test_a_log_without_repaired_results_says_the_same_of_its_open_calls() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    content = [
        {"type": "tool-call", "id": name, "name": "bash", "arguments": '{"command":"make"}'} for name in "ab"
    ]
    source = {"kind": "model", "provider": "p", "model": "m"}
    here = {"turn": 1, "step": 1}
    session.append("assistant/message", {**here, "id": "m", "content": content, "source": source})
    session.append("tool/call", {**here, "callId": "a", "name": "bash", "arguments": '{"command":"make"}'})
    session.append("step/end", here)
    session.append("turn/end", {"turn": 1, "reason": {"kind": "interrupted"}})
    fold = SessionFold(session.header)
    fold.apply_all(session.events)
    calls = [block for block in fold.view().blocks if isinstance(block, ToolView)]
    assert [call.cut for call in calls] == ["may have run", "not started"]
