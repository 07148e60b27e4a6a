from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import id_of
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.sound_log import is_sound
from dsh_tui.engine.persistence.jsonl.summary import SMALL, read_summary, read_whole, summary_of
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from tests.fakes.fake_clock import FakeClock
from tests.fakes.session_logs import NOON, bare_session, close_turn, open_step, open_turn, stream, whole_turn


def stored(session: Session, folder: Path) -> Path:
    path = folder / "s1" / "session.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encode_header(session.header) + encode_rows(session.events.rows()))
    return path


def large_session(clock: FakeClock) -> Session:
    session = bare_session(clock=clock)
    for number in range(1200):
        whole_turn(session, f"prompt {number}", "a reply of some length " * 5, "a", "b", "c")
    return session


def test_the_title_is_the_last_one_given_or_the_first_words(tmp_path: Path) -> None:
    session = bare_session()
    whole_turn(session, "please\n  read\tthe \x1b[31mfile " + "x" * 500, "hi")
    row = read_summary(stored(session, tmp_path))
    assert row.title.startswith("please read the \x1b[31mfile xxx")
    assert len(row.title) == 120
    append_idle(session, "title", "session/title", {"title": "First\ntitle", "source": "model"})
    append_idle(session, "title", "session/title", {"title": "Mine", "source": "user"})
    row = read_summary(stored(session, tmp_path))
    assert (row.title, row.turns) == ("Mine", 1)


def test_the_row_says_when_something_last_happened(tmp_path: Path, clock: FakeClock) -> None:
    session = bare_session(clock=clock)
    assert read_summary(stored(session, tmp_path)).updated_at == NOON
    open_turn(session, "hello")
    open_step(session)
    stream(session, "a", "b", "c")
    row = read_summary(stored(session, tmp_path))
    assert (row.created_at, row.updated_at) == (NOON, clock.now_ms())


async def test_of_a_large_file_the_ends_tell_most(tmp_path: Path, clock: FakeClock) -> None:
    session = large_session(clock)
    await clock.advance(3600)
    append_idle(session, "title", "session/title", {"title": "Long one", "source": "model"})
    path = stored(session, tmp_path)
    assert path.stat().st_size > 2 * SMALL
    row = read_summary(path)
    assert (row.title, row.turns, row.updated_at) == ("Long one", None, clock.now_ms())
    whole = read_whole(path)
    assert (whole.title, whole.turns, whole.updated_at) == ("Long one", 1200, clock.now_ms())
    assert whole.revision == row.revision


@pytest.mark.parametrize("turn", [0, 1, 150, 600, 1100, 1199])
def test_a_large_file_tells_a_move_and_a_title_of_any_time(
    tmp_path: Path, clock: FakeClock, turn: int
) -> None:
    session = bare_session(clock=clock)
    for number in range(1200):
        whole_turn(session, f"prompt {number}", "a reply of some length " * 5, "a", "b", "c")
        if number == turn:
            append_idle(session, "session-cwd", "session/cwd", {"cwd": "/work/moved"})
            append_idle(session, "title", "session/title", {"title": "Mine", "source": "user"})
    path = stored(session, tmp_path)
    row, whole = read_summary(path), read_whole(path)
    assert path.stat().st_size > SMALL
    assert (row.cwd, row.title) == (whole.cwd, whole.title) == ("/work/moved", "Mine")


def test_of_several_moves_the_last_one_counts(tmp_path: Path, clock: FakeClock) -> None:
    session = bare_session(clock=clock)
    for number in range(1200):
        whole_turn(session, f"prompt {number}", "a reply of some length " * 5, "a", "b", "c")
        if number in (1, 500, 700):
            append_idle(session, "session-cwd", "session/cwd", {"cwd": f"/work/{number}"})
    assert read_summary(stored(session, tmp_path)).cwd == "/work/700"


def test_a_large_file_without_a_title_shows_its_first_words(tmp_path: Path, clock: FakeClock) -> None:
    assert read_summary(stored(large_session(clock), tmp_path)).title == "prompt 0"


def test_whole_and_quick_rows_of_a_small_file_agree(tmp_path: Path) -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi", "a", "b", "c")
    open_turn(session, "more")
    close_turn(session, "aborted")
    path = stored(session, tmp_path)
    assert read_summary(path) == read_whole(path)


def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(PersistenceError, match="is a directory, not a file"):
        read_summary(tmp_path)


def whole_log() -> bytes:
    session = bare_session()
    whole_turn(session, "first words", "the reply", "a", "b", "c", "d")
    append_idle(session, "title", "session/title", {"title": "A title", "source": "model"})
    whole_turn(session, "second words", "another", "e", "f", "g")
    return encode_header(session.header) + encode_rows(session.events.rows())


def assert_read_truly(path: Path, data: bytes) -> None:
    """The row of a whole log is what decoding all of it says, however it was damaged."""
    path.write_bytes(data)
    row = read_whole(path)
    assert row == summary_of(read_log(path, id_of(path)))


def test_a_whole_log_is_sound_and_says_what_decoding_it_says(tmp_path: Path) -> None:
    data = whole_log()
    assert is_sound(data)
    assert_read_truly(tmp_path / "session.jsonl", data)


def test_a_log_without_a_line_or_with_two_in_the_other_order_is_not_sound(tmp_path: Path) -> None:
    lines = whole_log().splitlines(keepends=True)
    for at in range(1, len(lines) - 1):
        for damaged in (
            [*lines[:at], *lines[at + 1 :]],
            [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
            [*lines[:at], lines[at], lines[at], *lines[at + 1 :]],
        ):
            assert not is_sound(b"".join(damaged))
            assert_read_truly(tmp_path / "session.jsonl", b"".join(damaged))


@given(st.data())
def test_a_changed_byte_is_never_sound(data: st.DataObject) -> None:
    log = whole_log()
    at = data.draw(st.integers(log.index(b"\n") + 1, len(log) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != log[at]))
    assert not is_sound(log[:at] + bytes([byte]) + log[at + 1 :])
    assert not is_sound(log[:at] + log[at + 1 :])
    assert not is_sound(log[:at]) or log[:at].endswith(b"\n")


def test_rows_without_sums_are_decoded(tmp_path: Path) -> None:
    header, *rows = whole_log().splitlines()
    plain = b"\n".join([header, *(re.sub(rb',"sum":"[0-9a-f]{8}"}$', b"}", row) for row in rows), b""])
    assert not is_sound(plain)
    assert_read_truly(tmp_path / "session.jsonl", plain)
