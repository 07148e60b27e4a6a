"""``sessions requests`` and what ``sessions verify`` finds in bytes that were changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.cli import main
from dsh_tui.engine.llm.deepseek.wire import body_bytes
from dsh_tui.engine.llm.request import OneShotRequest
from dsh_tui.engine.loop.one_shots import one_shot_data
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.persistence.errors import FormatUnsupportedError, PersistenceError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.reader import decode_log, read_log
from dsh_tui.engine.persistence.jsonl.sums import changed_lines
from dsh_tui.engine.persistence.stored import Revision
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from tests.fakes.log_folder import LogFolder
from tests.fakes.session_logs import answer, bare_session, call, close_turn, open_step, open_turn, result

Run = Callable[..., tuple[int, bytes, str]]
CONFIG = {"provider": "deepseek", "model": "deepseek-flash"}


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LogFolder:
    monkeypatch.setenv("DSH_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "none"))
    return LogFolder(tmp_path / "home" / "sessions")


@pytest.fixture
def run(logs: LogFolder, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    assert logs

    def run(*arguments: str) -> tuple[int, bytes, str]:
        try:
            status = main(["sessions", *arguments])
        except SystemExit as left:
            status = int(str(left.code))
        said = capsysbinary.readouterr()
        return status, said.out, said.err.decode()

    return run


def two_turns() -> Session:
    """Three requests in two turns; nothing of the model's is streamed but the ends."""
    session = bare_session("a")
    for prompt in ("修复 \u2028 it\nnow", "again"):
        open_turn(session, prompt)
        open_step(session)
        if session.last_turn == 1:
            header = {"system": "You are a test.", "config": CONFIG}
            session.append("request/header", {"header": header, "reason": "initial"})
            session.append("request/context", {"provider": "deepseek", "model": "deepseek-flash"})
            _finish(session)
            answer(session, "On it.", "c1")
            call(session, "c1")
            result(session, "c1", "a \x1b[31mresult")
            session.append("step/end", {"turn": 1, "step": 1})
            open_step(session, 2)
        _finish(session)
        answer(session, "Done.")
        close_turn(session)
    return session


def _finish(session: Session) -> None:
    chunk = {"type": "finish", "reason": {"kind": "stop"}}
    data = {"turn": session.open_turn, "step": session.open_step, "chunk": chunk}
    session.append("assistant/chunk", data)


def test_raw_prints_the_bytes_that_the_adapter_would_send_one_request_a_line(
    run: Run, logs: LogFolder
) -> None:
    path = logs.store(two_turns())
    status, out, err = run("requests", "a", "--raw")
    expected = [body_bytes(one.as_request("a")) for one in rebuild_requests(read_log(path).events)]
    assert (status, err) == (0, "")
    assert out.split(b"\n") == [*expected, b""]
    assert len(expected) == 3


def test_json_names_the_place_of_each_body_and_keeps_its_bytes(run: Run, logs: LogFolder) -> None:
    logs.store(two_turns())
    _, raw, _ = run("requests", "a", "--raw")
    status, out, _ = run("requests", "a", "--json")
    rows = json.loads(out)
    assert status == 0
    assert [(row["turn"], row["step"], row["attempt"]) for row in rows] == [(1, 1, 1), (1, 2, 1), (2, 1, 1)]
    assert [list(row) for row in rows] == [["turn", "step", "attempt", "body"]] * 3
    bodies = raw.split(b"\n")[:-1]
    assert [row["body"] for row in rows] == [json.loads(body) for body in bodies]
    assert all(body in out for body in bodies)


def test_turn_and_step_choose_among_them(run: Run, logs: LogFolder) -> None:
    logs.store(two_turns())
    places = {
        ("--turn", "2"): [(2, 1)],
        ("--turn", "1", "--step", "2"): [(1, 2)],
        ("--step", "1"): [(1, 1), (2, 1)],
        ("--turn", "9"): [],
    }
    for options, expected in places.items():
        _, out, _ = run("requests", "a", "--json", *options)
        assert [(row["turn"], row["step"]) for row in json.loads(out)] == expected


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--turn", "99"), "nothing was sent in turn 99; there is 1, 2"),
        (("--turn", "1", "--step", "7"), "turn 1 has no step 7 that was sent; there is 1, 2"),
        (("--step", "7"), "no turn has a step 7 that was sent"),
    ],
)
def test_a_place_where_nothing_was_sent_is_told_with_those_where_something_was(
    run: Run, logs: LogFolder, asked: tuple[str, ...], told: str
) -> None:
    logs.store(two_turns())
    status, out, said = run("requests", "a", *asked, "--json")
    assert (status, json.loads(out)) == (1, [])
    assert told in said


def test_without_options_each_request_is_a_line_for_people(run: Run, logs: LogFolder) -> None:
    logs.store(two_turns())
    status, out, _ = run("requests", "a")
    assert status == 0
    assert out.decode().startswith("turn 1 step 1: deepseek/deepseek-flash, 1 message, 0 tools, ")
    assert run("requests", "b")[0] == 1


@pytest.mark.parametrize("kind", ["user/message", "assistant/message", "tool/result"])
def test_one_byte_less_in_a_stored_message_is_named_by_its_seq(run: Run, logs: LogFolder, kind: str) -> None:
    path = logs.store(two_turns())
    assert run("verify", "a")[:2] == (0, b"a: sound\n")
    event = next(event for event in read_log(path).events if event.type == kind)
    lines = path.read_bytes().split(b"\n")
    line = lines[event.seq + 1]
    at = line.index(b'"text":"') + len(b'"text":"')
    lines[event.seq + 1] = line[:at] + line[at + 3 :] if line[at] > 0x7F else line[:at] + line[at + 1 :]
    path.write_bytes(b"\n".join(lines))
    status, out, _ = run("verify", "a")
    assert status == 1
    assert out.decode().startswith(f"a: seq {event.seq}, line {event.seq + 2}: the record is not as")


def test_every_single_byte_that_goes_missing_from_a_log_is_found_with_its_line(
    run: Run, logs: LogFolder
) -> None:
    path = logs.store(two_turns())
    data = path.read_bytes()
    header, message = data.index(b"\n"), data.index(b'{"type":"user/message"')
    places = [*range(0, header + 1, 3), *range(header - 40, header), *range(message, message + 500, 4)]
    ends = [at for at in range(len(data)) if data[at : at + 1] == b"\n"]
    tails = [*range(ends[3] - 20, ends[3]), *ends[:4], *range(len(data) - 40, len(data) - 1)]
    for at in sorted({*places, *tails}):
        path.write_bytes(data[:at] + data[at + 1 :])
        status, out, _ = run("verify", "a", "--json")
        (verdict,) = json.loads(out)
        assert (status, verdict["ok"]) == (1, False), data[at - 9 : at + 9]
        assert verdict["line"] == data[:at].count(b"\n") + 1, data[at - 9 : at + 9]


@given(st.data())
def test_a_byte_less_anywhere_is_no_log_as_it_was_written(data: st.DataObject) -> None:
    log = encode_header(two_turns().header) + encode_rows(two_turns().events.rows())
    assert not list(changed_lines(log.splitlines()))
    at = data.draw(st.integers(0, len(log) - 2))
    less = log[:at] + log[at + 1 :]
    try:
        loaded = decode_log(less, Path("/x/a/session.jsonl"), Revision(0, 0, len(less), 0, 0))
        named = loaded.status == "damaged" or bool(loaded.notices)
    except PersistenceError:
        named = False
    line = log[:at].count(b"\n") + 1
    assert named or line in [changed.line for changed in changed_lines(less.split(b"\n")[:-1])]


def test_the_last_line_end_that_goes_missing_is_named_as_a_cut_record(run: Run, logs: LogFolder) -> None:
    path = logs.store(two_turns())
    path.write_bytes(path.read_bytes()[:-1])
    status, out, _ = run("verify", "a")
    assert (status, b"the last record was cut off" in out) == (0, True)


def test_a_log_that_was_written_out_anew_word_for_word_is_sound(run: Run, logs: LogFolder) -> None:
    path = logs.store(two_turns())
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert run("verify", "a")[:2] == (0, b"a: sound\n")
    assert list(read_log(path).events) == list(two_turns().events)


def test_in_a_log_with_sums_a_record_without_one_is_named(run: Run, logs: LogFolder) -> None:
    path = logs.store(two_turns())
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = re.sub(rb',"sum":"[0-9a-f]{8}"}', b"}", lines[3])
    path.write_bytes(b"".join(lines))
    status, out, _ = run("verify", "a")
    assert (status, out) == (
        1,
        b"a: seq 2, line 4: the record has lost its sum, or something else wrote it\n",
    )
    loaded = read_log(path)
    assert (loaded.status, list(loaded.events)) == ("ok", list(two_turns().events))


def test_a_record_that_says_something_else_is_damage_for_every_reader(logs: LogFolder) -> None:
    path = logs.store(two_turns())
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Done.", b"Dome.", 1))
    line = data[: data.index(b"Done.")].count(b"\n") + 1
    loaded = read_log(path)
    assert (loaded.status, [notice.text for notice in loaded.notices]) == (
        "damaged",
        [f"line {line} is not as it was written"],
    )
    assert len(loaded.events) == len(two_turns().events)


def test_a_header_is_used_as_it_stands_unless_it_names_another_session(logs: LogFolder) -> None:
    path = logs.store(two_turns())
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"cwd":"/', b'"cwd":"/x/', 1))
    assert (read_log(path).status, read_log(path).header["cwd"][:3]) == ("ok", "/x/")
    path.write_bytes(data.replace(b'"id":"a"', b'"id":"b"', 1))
    loaded = read_log(path)
    assert (loaded.status, loaded.header["id"]) == ("damaged", "a")
    assert loaded.header["cwd"] == two_turns().header["cwd"]
    path.write_bytes(data.replace(b'"dsh-tui"', b'"dsh-ti"', 1))
    assert (read_log(path).status, read_log(path).notices[0].text) == ("damaged", "the header is damaged")
    path.write_bytes(data.replace(b'"version":1', b'"version":2', 1))
    with pytest.raises(FormatUnsupportedError, match="version 2"):
        read_log(path)


def test_an_older_log_whose_rows_have_no_sums_passes(logs: LogFolder) -> None:
    path = logs.store(two_turns())
    header, *rows = path.read_bytes().splitlines()
    header = re.sub(rb',"sums":.*}$', b"}", header)
    for older in (
        [header, *rows],
        [re.sub(rb',"sum":"[0-9a-f]{8}"}$', b"}", row) for row in (header, *rows)],
    ):
        assert list(changed_lines(older)) == []
        path.write_bytes(b"\n".join([*older, b""]))
        assert list(read_log(path).events) == list(two_turns().events)


def test_a_broken_rule_names_its_owner(run: Run, logs: LogFolder) -> None:
    session = two_turns()
    open_turn(session, "more")
    session.append("todo/write", {"todos": [{"content": " spaced ", "status": "pending"}]})
    close_turn(session)
    logs.store(session)
    status, out, _ = run("verify", "a", "--json")
    (verdict,) = json.loads(out)
    assert (status, verdict["owner"], verdict["rule"]) == (1, "todo", "todo: an item is not trimmed")
    assert verdict["seq"] == next(e.seq for e in session.events if e.type == "todo/write")


def test_all_adds_what_was_asked_beside_the_conversation(run: Run, logs: LogFolder) -> None:
    session = two_turns()
    loop = rebuild_requests(session.events)[-1]
    said = session.derive()
    title = replace(loop, purpose="session-title", system="Name it.", tools=()).as_request("a")
    summary = replace(loop, purpose="summary", messages=(*said, said[0])).as_request("a")
    for one_shot in (title, summary):
        assert isinstance(one_shot, OneShotRequest)
        append_idle(session, "one-shot", "request/one-shot", one_shot_data(session, one_shot))
    logs.store(session)
    first, second = (event.data for event in session.events if event.type == "request/one-shot")
    assert (first["inherits"], first["history"]) == ((), 5)
    assert (second["inherits"], second["history"], len(second["messages"])) == (("system",), len(said), 1)
    _, plain, _ = run("requests", "a", "--raw")
    status, out, _ = run("requests", "a", "--raw", "--all")
    assert (status, out) == (0, plain + body_bytes(title) + b"\n" + body_bytes(summary) + b"\n")
    rows = json.loads(run("requests", "a", "--json", "--all")[1])
    assert [row.get("purpose") for row in rows] == [None, None, None, "session-title", "summary"]
    assert run("verify", "a")[0] == 0
