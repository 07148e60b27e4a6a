from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.persistence.errors import AlreadyStoredError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.reader import decode_log, read_log
from dsh_tui.engine.persistence.jsonl.whole_log import write_whole_log
from dsh_tui.engine.persistence.repaired_copy import repaired_copy
from dsh_tui.engine.persistence.stored import LoadedSession, Revision
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import (
    answer,
    bare_session,
    call,
    close_turn,
    open_step,
    open_turn,
    result,
    stream,
    text,
    whole_turn,
)

NOWHERE = Path("/nowhere/s1/session.jsonl")


def busy_session() -> Session:
    """Two steps with calls, a summary that replaces the first turn, and more turns after it."""
    session = bare_session(cwd="/work")
    whole_turn(session, "one", "first", "f", "i", "r", "st")
    open_turn(session, "two")
    open_step(session, 1)
    answer(session, "looking", "c1", "c2")
    for call_id in ("c1", "c2"):
        call(session, call_id)
        result(session, call_id)
    session.append("step/end", {"turn": 2, "step": 1})
    open_step(session, 2)
    stream(session, "d", "o", "n", "e")
    answer(session, "done")
    close_turn(session)
    turn = open_turn(session, "three")
    summary = {"id": "sum", "content": text("summary"), "source": {"kind": "plugin", "plugin": "compact"}}
    cited = [node.seq for node in session.surface[:2]]
    session.append("context/message", summary, surface={"op": "replace", "start": 0, "end": 1}, sources=cited)
    assert turn == 3
    close_turn(session)
    whole_turn(session, "four", "fourth")
    return session


SESSION = busy_session()
LINES = (encode_header(SESSION.header) + encode_rows(SESSION.events.rows())).split(b"\n")[:-1]


def read(lines: list[bytes]) -> LoadedSession:
    data = b"\n".join([*lines, b""])
    return decode_log(data, NOWHERE, Revision(0, 0, len(data), 0, 0))


def check_usable(session: Session) -> None:
    """It ends well, can be resumed, and every call has exactly one result behind it."""
    assert closers(session.events) == ()
    assert [event.seq for event in session.events] == list(range(len(session.events)))
    again = bare_session("again", seed=session.events)
    assert again.derive() == session.derive()
    open_calls: list[str] = []
    for message in session.derive():
        for block in message["content"]:
            if block["type"] == "tool-call":
                open_calls.append(block["id"])
            elif block["type"] == "tool-result":
                open_calls.remove(block["toolCallId"])
    assert open_calls == []
    whole_turn(again, "on", "yes")


def test_a_healthy_log_is_copied_as_it_is() -> None:
    copy = repaired_copy(read(LINES), "s2")
    assert copy.left_out == 0
    assert list(copy.session.events) == list(SESSION.events)
    assert (copy.session.id, copy.session.header["parentSession"]) == ("s2", "s1")
    assert copy.session.header["cwd"] == "/work"


def test_a_lost_result_is_answered_with_an_error() -> None:
    lines = [line for line in LINES if b'"id":"r-c1"' not in line]
    copy = repaired_copy(read(lines), "s2")
    results = {
        event.data["callId"]: event.data["isError"]
        for event in copy.session.events
        if event.type == "tool/result"
    }
    assert results == {"c1": True, "c2": False}
    check_usable(copy.session)


def test_a_lost_answer_takes_its_calls_with_it_and_nothing_else() -> None:
    lines = [line for line in LINES if b'"looking"' not in line]
    copy = repaired_copy(read(lines), "s2")
    assert copy.left_out == 4
    check_usable(copy.session)


def test_lost_frames_are_put_back() -> None:
    lines = [line for line in LINES if b'"turn/start","seq":0' not in line and b'"turn/end"' not in line]
    copy = repaired_copy(read([*lines, LINES[-1]]), "s2")
    assert [event.data["turn"] for event in copy.session.events if event.type == "turn/end"] == [1, 2, 3, 4]
    check_usable(copy.session)


@given(
    st.lists(st.tuples(st.integers(1, len(LINES) - 1), st.sampled_from(["drop", "cut", "twice"])), max_size=6)
)
def test_whatever_is_lost_the_copy_can_be_continued(damage: list[tuple[int, str]]) -> None:
    lines = list(LINES)
    for at, kind in damage:
        if kind == "drop":
            lines[at] = b""
        elif kind == "cut":
            lines[at] = lines[at][: len(lines[at]) // 2]
        else:
            lines[at] = lines[at] + b"\n" + lines[at]
    check_usable(repaired_copy(read(lines), "s2").session)


def test_a_copy_is_stored_beside_the_original_and_reads_back(tmp_path: Path) -> None:
    copy = repaired_copy(read(LINES), "s2").session
    path = write_whole_log(tmp_path, copy)
    assert list(read_log(path).events) == list(copy.events)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(AlreadyStoredError, match="stored already"):
        write_whole_log(tmp_path, copy)
