"""Damage in a turn that never ended: gone on with as a crash is, but named by everybody, and nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.persistence.jsonl.mending import mend
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.whole_log import write_whole_log
from dsh_tui.engine.persistence.seam import PERSISTENCE_MENDED
from dsh_tui.engine.persistence.stored import Notice, salvaged, with_closers
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.verify import verify_log
from dsh_tui.engine.session_copies import copy_repaired, forked_copy
from dsh_tui.first_look import first_look
from tests.fakes.session_home import SessionHome
from tests.fakes.session_logs import answer, bare_session, call, open_step, open_turn, result, whole_turn

Lines = list[bytes]

CALL, RESULT, LAST = 11, 12, 13
"""Indexes of lines in the unfinished turn."""


def working() -> Session:
    """One turn that ended and one that did not: a call, its result, and what was steered in."""
    session = bare_session()
    whole_turn(session, "hello", "hi")
    open_turn(session, "tidy up")
    open_step(session)
    answer(session, "on it", "c1")
    call(session, "c1")
    result(session, "c1", "removed")
    content = [{"type": "text", "text": "and the rest"}]
    steered = {"id": "st1", "turn": 2, "content": content, "source": {"kind": "user"}}
    session.append("steering/message", steered)
    return session


def lines_of(session: Session) -> Lines:
    return (encode_header(session.header) + encode_rows(session.events.rows())).split(b"\n")[:-1]


def stored(root: Path, lines: Lines) -> Path:
    path = log_path(root, "/work/app", "s1")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\n".join([*lines, b""]))
    return path


DAMAGE: Sequence[tuple[str, Callable[[Lines], Lines], int]] = (
    ("cut", lambda log: [*log[:CALL], log[CALL][:30], *log[CALL + 1 :]], 1),
    ("gone", lambda log: [*log[:CALL], *log[CALL + 1 :]], 1),
    ("NULs", lambda log: [*log[:CALL], b"\0" * len(log[CALL]), *log[CALL + 1 :]], 1),
    ("glued", lambda log: [*log[:CALL], log[CALL] + log[RESULT], *log[RESULT + 1 :]], 0),
    ("twice", lambda log: [*log[:CALL], log[CALL], *log[CALL:]], 0),
    ("last one cut, with an end", lambda log: [*log[:LAST], log[LAST][:30]], 1),
)
damages = pytest.mark.parametrize("breakage", [pytest.param(one[1], id=one[0]) for one in DAMAGE])


def test_the_lines_are_those_that_are_meant() -> None:
    lines = lines_of(working())
    assert (b'"tool/call"' in lines[CALL], b'"tool/result"' in lines[RESULT]) == (True, True)
    assert len(lines) == LAST + 1


@pytest.mark.parametrize(("breakage", "lost"), [pytest.param(*one[1:], id=one[0]) for one in DAMAGE])
def test_every_list_says_that_it_is_damaged_and_where(
    home: SessionHome, breakage: Callable[[Lines], Lines], lost: int
) -> None:
    path = stored(home.root, breakage(lines_of(working())))
    (row,) = home.persistence.list()
    whole = JsonlLogs(home.root).whole(str(path)).summary
    loaded = read_log(path)
    assert loaded.damaged
    assert loaded.notices[0].line is not None
    assert f"from line {loaded.notices[0].line} on" in row.note
    assert (row.status, whole.status, whole.note) == ("damaged", "damaged", row.note)
    assert lost == len(working().events) - len(salvaged(loaded))


@damages
async def test_going_on_tells_what_was_cut_and_keeps_every_byte_of_it(
    home: SessionHome, breakage: Callable[[Lines], Lines]
) -> None:
    path = stored(home.root, breakage(lines_of(working())))
    before = path.read_bytes()
    told: list[Sequence[Notice]] = []
    home.tree.on(PERSISTENCE_MENDED, lambda _id, notices: told.append(notices))
    end = read_log(path).end
    session = await home.resume("s1")
    (notices,) = told
    (aside,) = path.parent.glob("session.cut-at-*.jsonl")
    assert before == before[:end] + aside.read_bytes()
    assert str(aside) in " ".join(notice.text for notice in notices)
    whole_turn(session, "go on", "yes")
    await home.sessions.flush(session)
    (row,) = home.persistence.list()
    assert (row.status, verify_log(read_log(path).events)) == ("ok", None)


def test_a_second_end_that_is_damaged_at_the_same_place_does_not_take_the_place_of_the_first(
    home: SessionHome,
) -> None:
    lines = lines_of(working())
    path = stored(home.root, [*lines[:CALL], b"one", b"two"])
    whole = path.stat().st_size - len(b"one\ntwo\n")
    mend(read_log(path))
    path.write_bytes(path.read_bytes()[:whole] + b"three\n")
    mend(read_log(path))
    kept = {aside.read_bytes() for aside in path.parent.glob("session.cut-at-*.jsonl")}
    assert kept == {b"one\ntwo\n", b"three\n"}


@damages
def test_a_repaired_copy_and_a_fork_have_every_good_record(
    home: SessionHome, breakage: Callable[[Lines], Lines]
) -> None:
    loaded = read_log(stored(home.root, breakage(lines_of(working()))))
    there = {(event.type, event.data.get("id")) for event in salvaged(loaded)}
    for stand in (loaded, with_closers(loaded)):
        for copy in (copy_repaired(stand).session, forked_copy(stand).session):
            assert there <= {(event.type, event.data.get("id")) for event in copy.events}
            assert verify_log(copy.events) is None
            assert copy.events[-1].type in ("turn/end", "session/end-seed")


async def test_a_record_that_a_crash_cut_is_no_damage_and_is_told_of_all_the_same(home: SessionHome) -> None:
    lines = lines_of(working())
    path = stored(home.root, [])
    path.write_bytes(b"\n".join([*lines[:LAST], lines[LAST][:40]]))
    told: list[Sequence[Notice]] = []
    home.tree.on(PERSISTENCE_MENDED, lambda _id, notices: told.append(notices))
    (row,) = home.persistence.list()
    assert (row.status, row.note, read_log(path).damaged) == ("ok", "", False)
    await home.resume("s1")
    assert [notice.text for notice in told[0]] == [
        f"the last record was cut off ({len(lines[LAST][:40])} bytes) and left out",
        "turn 2 was still open and was closed as interrupted",
    ]


async def test_a_session_that_ended_well_is_gone_on_with_without_a_word(home: SessionHome) -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi")
    stored(home.root, lines_of(session))
    told: list[Sequence[Notice]] = []
    home.tree.on(PERSISTENCE_MENDED, lambda _id, notices: told.append(notices))
    await home.resume("s1")
    assert told == []


@pytest.mark.parametrize("place", [CALL, LAST])
def test_nobody_says_that_a_call_was_not_run_whose_record_may_be_lost(home: SessionHome, place: int) -> None:
    lines = lines_of(working())[: place + 1]
    lines[place] = lines[place][:30]
    loaded = read_log(stored(home.root, lines))
    for events in (with_closers(loaded).events, copy_repaired(loaded).session.events):
        results = [event.data for event in events if event.type == "tool/result"]
        expected = "TOOL_OUTCOME_UNKNOWN" if place == CALL else None
        assert [(one.get("error") or {}).get("code") for one in results] == [expected]
        assert verify_log(events) is None


def test_the_record_of_a_call_is_put_back_where_its_result_is_there(
    home: SessionHome, tmp_path: Path
) -> None:
    lines = lines_of(working())
    lines[CALL] = lines[CALL][:30]
    copy = copy_repaired(read_log(stored(home.root, lines)))
    called = [event.data for event in copy.session.events if event.type == "tool/call"]
    assert [(one["callId"], one["name"], one["arguments"]) for one in called] == [("c1", "read", "{}")]
    assert copy.left_out == 0
    again = read_log(write_whole_log(tmp_path / "copies", copy.session))
    assert (again.damaged, verify_log(again.events)) == (False, None)


def test_a_first_look_shows_nothing_that_is_not_gone_on_with(home: SessionHome) -> None:
    lines = lines_of(working())
    lines[CALL] = lines[CALL][:30]
    stored(home.root, lines)
    view = first_look(home.root, "s1")
    assert view is not None
    assert "and the rest" not in str(view.blocks)
    assert "on it" in str(view.blocks)
