"""Logs of the original, each dialect: the same conversation shows the same, whichever version wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.persistence.dialects.adoption import adopt
from dsh_tui.engine.persistence.dialects.reader import read_original
from dsh_tui.engine.persistence.errors import UnknownEventError
from dsh_tui.engine.persistence.stored import LoadedSession, with_closers
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import (
    AnswerView,
    BlockView,
    ChatView,
    NoticeView,
    ThinkingView,
    ToolView,
    TurnEndView,
    UserView,
)
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.verify import verify_log
from tests.fakes.original_logs import NOON, SYSTEM, OriginalLog, conversation

VERSIONS = (0, 1, 2, 3, 4)


def read(log: OriginalLog, home: Path, *, raw: bool = True) -> LoadedSession:
    return read_original(log.store(home, raw=raw))


def view(loaded: LoadedSession) -> ChatView:
    fold = SessionFold(loaded.header)
    fold.apply_all(with_closers(loaded).events)
    return fold.view()


def copy(loaded: LoadedSession, **options: Any) -> Session:
    """A session of ours that goes on from it."""
    meta, seed = adopt(loaded, **options)
    session = Session(new_header("copy", NOON, meta), seed=seed)
    assert verify_log(session.events) is None
    return session


def words(block: BlockView) -> object:
    match block:
        case UserView():
            return (block.origin, block.text)
        case ToolView():
            return (block.verb, block.subject, block.state, block.summary, block.diff is not None)
        case ThinkingView() | AnswerView() | NoticeView():
            return block.text
        case TurnEndView():
            return block.reason, block.tokens_in, block.tokens_out
        case _:
            return block


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "zstd"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_conversation_shows_the_same_from_every_version(version: int, raw: bool, tmp_path: Path) -> None:
    loaded = read(conversation(version), tmp_path, raw=raw)
    shown = view(loaded)
    assert (loaded.status, loaded.notices) == ("ok", ())
    assert loaded.dialect == f"dsh v{1 if version == 2 else version}"
    assert shown.title == "Say hi in the greeting"
    assert [words(block) for block in shown.blocks] == [
        ("prompt", "Say hi in the greeting"),
        ("context", "It is noon."),
        ("Run", "ls", "failed", "exit 3", False),
        ("Edit", "main.py", "ok", "+1 −1", True),
        ("Write", "new.py", "ok", "new, 2 lines", True),
        "That was easy enough.",
        "Done, **hi** it is.",
        ("completed", 720, 80),
        ("prompt", "Thanks"),
        "Polite.",
        "You are welcome.",
        ("completed", 180, 20),
    ]
    assert (shown.status.turns, shown.status.tokens_in, shown.status.tokens_out) == (2, 900, 100)
    assert (shown.status.provider, shown.status.model) == ("deepseek", "deepseek-flash")
    assert [todo.content for todo in shown.todos] == ["Greet"]
    thought = next(block for block in shown.blocks if isinstance(block, ThinkingView))
    assert thought.duration_ms == 21  # from the stream, wherever it is kept


@pytest.mark.parametrize("version", VERSIONS)
def test_every_event_keeps_its_seq_and_time(version: int, tmp_path: Path) -> None:
    log = conversation(version)
    events = read(log, tmp_path).events
    assert [event.seq for event in events] == list(range(log.seq))
    assert events[-1].type == "turn/end"
    assert events[-1].time == NOON + log.seq - 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_copy_is_a_sound_session_with_the_same_history(version: int, tmp_path: Path) -> None:
    session = copy(read(conversation(version), tmp_path))
    assert session.header["parentSession"] == "session-old"
    assert session.header.get("cwd") == "/work/app"
    assert session.header.get("seedLength") == session.first_live_seq
    marker = session.events[session.first_live_seq - 1]
    assert (marker.type, marker.data["from"]) == ("session/imported", "session-old")
    assert session.request_header is not None
    assert session.request_header.get("system") == SYSTEM
    assert session.request_header["config"]["provider"] == "deepseek"
    shape = [
        (message["role"], [block["type"] for block in message["content"]]) for message in session.derive()
    ]
    assert shape == [
        ("user", ["text"]),
        ("user", ["text"]),
        *[("assistant", ["tool-call"]), ("user", ["tool-result"])] * 3,
        ("assistant", ["reasoning", "text"]),
        ("user", ["text"]),
        ("assistant", ["reasoning", "text"]),
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_summary_replaced_stays_replaced(version: int, tmp_path: Path) -> None:
    log = OriginalLog(version)
    first = log.ask("one")
    log.answer("two")
    log.end()
    last = log.seq - 3
    log.ask("three")
    cited = [first, first + 1, last]
    names = ("startSeq", "endSeq") if version >= 3 else ("start", "end")
    op = {"op": "replace", names[0]: first, names[1]: last}
    kind = {"kind": "compact-checkpoint"} if version == 4 else {"kind": "plugin", "plugin": "compact"}
    message = {"content": [{"type": "text", "text": "summary"}], "source": kind, "role": "user", "id": "s"}
    log.row("user/message", message, surfaceOp=op, sourceEventSeqs=cited)
    log.answer("four")
    log.end()
    session = copy(read(log, tmp_path))
    texts = [text_of(message["content"]) for message in session.derive()]
    assert texts == ["summary", "three", "four"]


@pytest.mark.parametrize("version", [3, 4])
def test_a_shortened_result_replaces_the_long_one(version: int, tmp_path: Path) -> None:
    log = OriginalLog(version)
    log.ask("one")
    log.use("c1", "bash", {"command": "ls"}, "long " * 99, meta={"cwd": "/work/app"})
    answered = log.seq - 3
    data = {**log.place, "step": 1, "message": log.result_message("c1", "short")}
    op = {"op": "replace", "startSeq": answered, "endSeq": answered}
    log.row("tool/result", data, surfaceOp=op, sourceEventSeqs=[answered])
    log.answer("done")
    log.end()
    session = copy(read(log, tmp_path))
    [result] = [m["content"][0] for m in session.derive() if m["content"][0]["type"] == "tool-result"]
    assert result["content"][0]["text"] == "short"


def test_an_answer_that_broke_off_shows_and_is_not_sent_again(tmp_path: Path) -> None:
    log = OriginalLog(4)
    log.ask("hello")
    log.row("assistant/attempt", {**log.place, "stream": log.stream("text-chunks", 0, ["half", " a"])})
    failure = {"message": "line cut", "code": "TRANSPORT"}
    retry = {"retryId": "r", **log.place, "provider": "deepseek-official", "mode": "normal", "retry": 1}
    log.row("llm/retry", {**retry, "maxRetries": 5, "delayMs": 499.6, "failure": failure})
    log.row("llm/retry-started", {"retryId": "r", **log.place, "retry": 1})
    log.answer("whole")
    log.end()
    loaded = read(log, tmp_path)
    cut = [block for block in view(loaded).blocks if isinstance(block, AnswerView) and block.interrupted]
    assert [block.text for block in cut] == ["half a"]
    assert "half" not in str(copy(loaded).derive())


@pytest.mark.parametrize("version", VERSIONS)
def test_a_call_that_a_crash_left_without_result_is_closed(version: int, tmp_path: Path) -> None:
    log = OriginalLog(version)
    log.ask("run it")
    log.answer(calls=[("c1", "bash", {"command": "sleep 9"})])
    log.call("c1", "bash", {"command": "sleep 9"})
    loaded = read(log, tmp_path)
    [card] = [block for block in view(loaded).blocks if isinstance(block, ToolView)]
    assert (card.state, card.cut) == ("cancelled", "may have run")
    session = copy(loaded)
    assert session.open_turn is None
    assert session.derive()[-1]["content"][0]["type"] == "tool-result"


def test_a_stream_that_a_crash_cut_shows_what_had_come(tmp_path: Path) -> None:
    log = OriginalLog(0)
    log.ask("tell me")
    log.stream("text-chunks", 0, ["Once", " upon", " a", " time"])
    shown = [block for block in view(read(log, tmp_path)).blocks if isinstance(block, AnswerView)]
    assert [(block.text, block.interrupted) for block in shown] == [("Once upon a time", True)]


def test_turns_count_if_somebody_asked(tmp_path: Path) -> None:
    log = conversation(4)
    log.ask("A child has finished.", source={"kind": "subagent-settled", "form": "notice"})
    log.answer("Noted.")
    log.end()
    assert view(read(log, tmp_path)).status.turns == 2


def test_what_joins_a_running_turn_is_steering(tmp_path: Path) -> None:
    log = OriginalLog(4)
    log.ask("one")
    log.use("c1", "bash", {"command": "ls"})
    content = [{"type": "text", "text": "also this"}]
    message = {"content": content, "source": {"kind": "user"}, "role": "user", "id": "m2"}
    log.row("agent/inbox/spliced", {"target": "next-step", "start": 0, "inserted": [message]})
    log.row("user/message", message, surfaceOp="append")
    log.answer("ok")
    log.end()
    said = [block.origin for block in view(read(log, tmp_path)).blocks if isinstance(block, UserView)]
    assert said == ["prompt", "context", "steering"]


def test_an_approval_and_its_answer_show_on_the_card(tmp_path: Path) -> None:
    log = OriginalLog(4)
    log.ask("one")
    log.answer(calls=[("c1", "bash", {"command": "rm x"})])
    call = log.call("c1", "bash", {"command": "rm x"})
    log.row("approval/asked", {"id": "p1", "toolName": "bash", "callId": "c1", "reason": "it removes"})
    log.row("approval/decided", {"id": "p1", "outcome": "rejected"})
    log.result("c1", "Error: rejected", call, error={"name": "ToolDenied", "code": "TOOL_DENIED"})
    log.end()
    loaded = read(log, tmp_path)
    [card] = [block for block in view(loaded).blocks if isinstance(block, ToolView)]
    assert (card.state, card.summary) == ("denied", "by you")
    asked = next(event for event in loaded.events if event.type == "approval/asked")
    assert asked.data["arguments"] == '{"command": "rm x"}'


def test_events_between_turns_are_no_fault_of_the_copy(tmp_path: Path) -> None:
    log = conversation(4)
    source = {"kind": "provider", "provider": "title", "model": {"model": "deepseek-flash"}}
    log.row("session/title", {"title": "A better title", "messageSeqs": [8], "source": source})
    loaded = read(log, tmp_path)
    assert view(loaded).title == "A better title"
    assert verify_log(loaded.events, foreign=True) is None
    copy(loaded)


def test_a_fork_of_the_original_says_how_much_it_inherited(tmp_path: Path) -> None:
    log = conversation(4, "child", parentSession="session-top", origin="subagent", isSeeded=True)
    marker = log.row("session/end-seed", {"inherited": True})
    header = read(log, tmp_path).header
    assert (header.get("parentSession"), header.get("seedLength")) == ("session-top", marker)
    copied = copy(read(log, tmp_path)).header
    assert (copied.get("parentSession"), copied.get("origin"), copied["delegationDepth"]) == (
        "child",
        None,
        0,
    )


def test_a_copy_can_begin_at_an_earlier_turn(tmp_path: Path) -> None:
    log = OriginalLog(4)
    log.ask("one")
    log.answer("first")
    end = log.end()
    log.ask("two")
    log.answer("second")
    log.end()
    session = copy(read(log, tmp_path), boundary=end + 2)
    assert "second" not in str(session.derive())
    assert "first" in str(session.derive())


def test_a_provider_that_is_not_here_gives_way_to_the_default(tmp_path: Path) -> None:
    model = {"provider": "deepseek", "model": "deepseek-v4-pro"}
    known = copy(read(conversation(4), tmp_path), providers=("deepseek",), model=model)
    assert not [event for event in known.events if event.type == "model/selected"]
    other = copy(read(conversation(4), tmp_path), providers=("local",), model=model)
    assert [event.data["model"] for event in other.events if event.type == "model/selected"] == [
        "deepseek-v4-pro"
    ]


def test_a_type_that_may_not_be_skipped_can_be_read_past_but_not_gone_on_from(tmp_path: Path) -> None:
    log = conversation(4)
    log.row("future/thing", {"x": 1})
    loaded = read(log, tmp_path)
    assert view(loaded).title == "Say hi in the greeting"
    with pytest.raises(UnknownEventError, match="future/thing"):
        adopt(loaded)
    skippable = conversation(4, "other")
    skippable.row("future/thing", {"x": 1}, ignorable=True)
    copy(read(skippable, tmp_path))


def test_the_first_logs_of_all_are_told_by_their_shape(tmp_path: Path) -> None:
    log = OriginalLog(1)
    user, text = {"kind": "user"}, [{"type": "text", "text": "hello"}]
    log.row("turn/start", {"turn": 1, "trigger": {"kind": "message", "source": user}})
    log.row("user/message", {"id": "u1", "content": text, "source": user}, surfaceOp="append")
    log.row("context/message", {"id": "x", "content": text, "source": {"kind": "plugin"}}, surfaceOp="append")
    log.row("step/start", {"turn": 1, "step": 1})
    answer = {"id": "a1", "content": text, "source": {"kind": "model", "provider": "deepseek", "model": "m"}}
    log.row("assistant/message", {"turn": 1, "step": 1, **answer}, surfaceOp="append")
    log.row("step/end", {"turn": 1, "step": 1})
    log.row("turn/end", {"turn": 1, "reason": {"kind": "aborted", "reason": {"kind": "user"}}})
    loaded = read(log, tmp_path)
    assert loaded.dialect == "dsh seed"
    assert loaded.events[-1].data["reason"]["cause"] == {"kind": "user"}
    assert len(copy(loaded).derive()) == 3


def test_calls_without_usable_ids_get_some(tmp_path: Path) -> None:
    log = OriginalLog(3)
    log.ask("one")
    calls: list[tuple[str, str, dict[str, Any]]] = [("same", "bash", {}), ("same", "bash", {}), ("", "", {})]
    log.answer(calls=calls)
    log.end()
    session = copy(read(log, tmp_path))
    ids = [block["id"] for block in session.derive()[-1]["content"] if block["type"] == "tool-call"]
    assert len(set(ids)) == 3
    assert all(ids)
