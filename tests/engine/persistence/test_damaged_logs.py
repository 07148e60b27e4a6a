from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.persistence.errors import CorruptLogError, FormatUnsupportedError, NotStoredError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.mending import check_writable, mend, needs_mending
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.summary import read_summary, read_whole
from dsh_tui.engine.persistence.stored import LoadedSession, with_closers
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
    whole_turn,
)


def rich_session() -> Session:
    """Runs, calls, Chinese, an emoji cut in two: three turns, the last one open."""
    session = bare_session()
    whole_turn(session, "hello", "hi", "h", "i", " there")
    open_turn(session, "读一下")
    open_step(session)
    stream(session, "sure", " \ud83d", "\udc4d")
    answer(session, "sure", "c1")
    call(session, "c1")
    result(session, "c1")
    close_turn(session)
    open_turn(session, "more")
    open_step(session)
    answer(session, "", "c2")
    call(session, "c2")
    return session


def bytes_of(session: Session) -> bytes:
    return encode_header(session.header) + encode_rows(session.events.rows())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "--work-app--" / "s1" / "session.jsonl"
    path.parent.mkdir(parents=True)
    return path


def shown(loaded: LoadedSession) -> list[str]:
    """The words of every message, in order."""
    return [
        block["text"]
        for event in loaded.events
        if event.type.endswith("/message")
        for block in event.data["content"]
        if block["type"] == "text"
    ]


def lines_of(session: Session) -> list[bytes]:
    """Lines without their ends; number 1, the header, is the first."""
    return bytes_of(session).split(b"\n")[:-1]


def conversation(*turns: tuple[str, str], unfinished: str = "") -> Session:
    session = bare_session()
    for prompt, reply in turns:
        open_turn(session, prompt)
        open_step(session)
        answer(session, reply)
        close_turn(session)
    if unfinished:
        open_turn(session, unfinished)
    return session


HELLO = ("hello", "hi")
LIST = ("list the files", "done")
TESTS = ("run the tests please", "tests pass")


def test_a_healthy_log_reads_back_equal(log: Path) -> None:
    session = rich_session()
    log.write_bytes(bytes_of(session))
    loaded = read_log(log)
    assert loaded.header == session.header
    assert list(loaded.events) == list(session.events)
    assert (loaded.status, loaded.notices, loaded.end) == ("ok", (), log.stat().st_size)
    again = bare_session("s2", seed=loaded.events)
    assert again.derive() == session.derive()


def test_a_crash_at_any_byte_leaves_a_log_that_loads(log: Path) -> None:
    session = rich_session()
    data = bytes_of(session)
    events = list(session.events)
    whole_lines = 0
    for length in range(len(data) + 1):
        log.write_bytes(data[:length])
        loaded = read_log(log)
        whole_lines = data[:length].count(b"\n")
        assert list(loaded.events) == events[: len(loaded.events)]
        assert loaded.status == ("ok" if whole_lines else "damaged")
        torn = length - data[:length].rfind(b"\n") - 1
        assert bool(loaded.notices) == bool(torn or not whole_lines)
        assert read_summary(log).status == loaded.status
    assert len(read_log(log).events) == len(events)


def test_after_a_crash_around_any_line_end_the_session_goes_on(log: Path) -> None:
    data = bytes_of(rich_session())
    header_end = data.index(b"\n") + 1
    ends = [at + 1 for at in range(header_end, len(data)) if data[at : at + 1] == b"\n"]
    for end in ends:
        for length in (end - 1, end, end + 1, min(end + 40, len(data))):
            log.write_bytes(data[:length])
            loaded = read_log(log)
            mended = mend(loaded) if needs_mending(loaded) else loaded
            assert not needs_mending(mended)
            again = bare_session(seed=mended.events)
            assert again.open_turn is None
            assert mended.end == log.stat().st_size
            assert list(with_closers(loaded).events) == list(mended.events)
            log.unlink()


@pytest.mark.parametrize(
    ("breakage", "shown_words", "notice_line"),
    [
        pytest.param(lambda lines: [*lines[:-1], lines[-1][:40]], "all", 15, id="last record cut"),
        pytest.param(lambda lines: [*lines, b"\0" * 512], "all", 16, id="NUL run at the end"),
        pytest.param(
            lambda lines: [*lines[:14], lines[14][:30], b"", lines[14], b""],
            "all",
            15,
            id="bad line in the tail",
        ),
        pytest.param(lambda lines: [*lines[:14], b"\0" * 9, b""], "all", 15, id="NUL line in the tail"),
        pytest.param(lambda lines: [*lines, lines[-1], b""], "unfinished", 16, id="last record twice"),
        pytest.param(
            lambda lines: [*lines[:14], lines[14] + lines[14], b""], "all", 15, id="glued to itself"
        ),
    ],
)
def test_damage_behind_the_last_finished_turn_costs_only_the_tail(
    log: Path, breakage: Callable[[list[bytes]], list[bytes]], shown_words: str, notice_line: int
) -> None:
    session = conversation(HELLO, LIST, unfinished="third")
    lines = lines_of(session)
    assert len(lines) == 15
    damaged = b"\n".join(breakage(lines))
    log.write_bytes(damaged)
    loaded = read_log(log)
    words = ["hello", "hi", "list the files", "done"]
    assert shown(loaded)[:4] == words
    assert loaded.status == "ok"
    (notice,) = loaded.notices
    assert notice.line == notice_line, (shown_words, notice)
    assert log.read_bytes() == damaged
    mended = mend(loaded)
    assert log.read_bytes().count(b"\0") == 0
    again = bare_session(seed=mended.events)
    whole_turn(again, "on we go", "yes")
    assert [event.seq for event in again.events] == list(range(len(again.events)))


@pytest.mark.parametrize(
    ("breakage", "lost", "bad_line"),
    [
        pytest.param(lambda lines: [*lines[:4], lines[4][:40], *lines[5:]], {"hi"}, 5, id="cut line"),
        pytest.param(lambda lines: [*lines[:7], b"", b'"no object"', *lines[7:]], set(), 9, id="odd line"),
        pytest.param(lambda lines: [*lines[:7], b"\0" * 99, *lines[7:]], set(), 8, id="NUL line"),
        pytest.param(
            lambda lines: [*lines[:7], b"\0" * 99 + lines[7], *lines[8:]], set(), 8, id="NULs before"
        ),
        pytest.param(lambda lines: [*lines[:4], lines[4] + lines[5], *lines[6:]], set(), 5, id="glued lines"),
        pytest.param(
            lambda lines: [*lines[:4], lines[4][:30] + lines[4], *lines[5:]],
            set(),
            5,
            id="glued to a cut copy",
        ),
        pytest.param(lambda lines: [*lines[:5], lines[4], *lines[5:]], set(), 6, id="record twice"),
        pytest.param(lambda lines: [*lines[:4], *lines[5:]], {"hi"}, 5, id="record missing"),
        pytest.param(
            lambda lines: [*lines[:4], lines[4].replace(b'"seq":3,', b""), *lines[5:]],
            {"hi"},
            5,
            id="no number",
        ),
        pytest.param(lambda lines: [*lines[:4], b"\xff\xfe" + lines[4], *lines[5:]], set(), 5, id="no UTF-8"),
    ],
)
def test_damage_before_a_finished_turn_is_named_and_nothing_else_is_lost(
    log: Path, breakage: Callable[[list[bytes]], list[bytes]], lost: set[str], bad_line: int
) -> None:
    lines = lines_of(conversation(HELLO, LIST, TESTS))
    damaged = b"\n".join([*breakage(lines), b""])
    log.write_bytes(damaged)
    loaded = read_log(log)
    expected = ["hello", "hi", "list the files", "done", "run the tests please", "tests pass"]
    assert shown(loaded) == [words for words in expected if words not in lost]
    assert loaded.status == "damaged"
    assert loaded.notices[0].line == bad_line
    seqs = [event.seq for event in loaded.events]
    assert seqs == sorted(set(seqs))
    with pytest.raises(CorruptLogError, match=rf"{log}, line {bad_line}: .*sessions repair s1") as caught:
        check_writable(loaded)
    assert caught.value.line == bad_line
    assert read_whole(log).status == "damaged"
    assert read_summary(log).title == "hello"
    assert with_closers(loaded).events[-1].type == "turn/end"
    assert log.read_bytes() == damaged


def test_a_blank_line_is_nothing_to_speak_of(log: Path) -> None:
    session = conversation(HELLO, LIST)
    lines = lines_of(session)
    log.write_bytes(b"\n".join([*lines[:6], b"", b"  ", *lines[6:], b""]))
    loaded = read_log(log)
    assert (list(loaded.events), loaded.notices) == (list(session.events), ())


def test_a_log_with_foreign_line_ends_is_read(log: Path) -> None:
    session = rich_session()
    log.write_bytes(b"\xef\xbb\xbf" + bytes_of(session).replace(b"\n", b"\r\n"))
    assert list(read_log(log).events) == list(session.events)


def test_repeats_gaps_and_missing_numbers_show_each_record_once(log: Path) -> None:
    lines = lines_of(conversation(HELLO, LIST, TESTS, ("thanks", "welcome")))
    third = 13
    cut, ask, reply = lines[third + 1][:50], lines[third + 1], lines[third + 3]
    unnumbered = reply.replace(b'"seq":15,', b"")
    damaged = [
        *lines[: third + 1],
        cut,
        ask,
        lines[third + 2],
        reply,
        reply,
        unnumbered,
        *lines[third + 4 : third + 5],
        *lines[third + 6 :],
    ]
    log.write_bytes(b"\n".join([*damaged, b""]))
    loaded = read_log(log)
    assert loaded.status == "damaged"
    assert shown(loaded)[4:] == ["run the tests please", "tests pass", "thanks", "welcome"]
    assert [notice.line for notice in loaded.notices] == [15, 19, 20, 22]
    cut_off = damaged[:20]
    log.write_bytes(b"\n".join([*cut_off, b""]))
    tail = read_log(log)
    assert (tail.status, shown(tail)) == ("ok", ["hello", "hi", "list the files", "done"])


def test_a_tail_of_nothing_but_repeats_is_dropped(log: Path) -> None:
    lines = lines_of(conversation(HELLO, LIST))
    log.write_bytes(b"\n".join([*lines, *lines[-4:], b""]))
    loaded = read_log(log)
    assert loaded.status == "ok"
    assert "repeats" in loaded.notices[0].text


def test_lines_cut_with_a_damaged_tail_are_kept_beside_the_log(log: Path) -> None:
    lines = lines_of(conversation(HELLO, unfinished="second"))
    log.write_bytes(b"\n".join([*lines[:7], b"{broken", *lines[7:], b""]))
    mended = mend(read_log(log))
    (aside,) = log.parent.glob("session.cut-at-*.jsonl")
    assert aside.read_bytes().startswith(b"{broken\n")
    assert aside.stat().st_mode & 0o777 == 0o600
    assert str(aside) in mended.notices[-1].text


def test_an_empty_file_and_a_bare_header_are_rows_of_the_list(log: Path) -> None:
    log.write_bytes(b"")
    loaded = read_log(log)
    assert (loaded.header["id"], loaded.status, len(loaded.events)) == ("s1", "damaged", 0)
    assert "empty" in loaded.notices[0].text
    with pytest.raises(CorruptLogError):
        check_writable(loaded)
    row = read_summary(log)
    assert (row.id, row.status, row.note) == ("s1", "damaged", "the file is empty")

    log.write_bytes(encode_header(bare_session().header))
    loaded = read_log(log)
    assert (loaded.status, loaded.notices, len(loaded.events)) == ("ok", (), 0)
    check_writable(loaded)
    row = read_summary(log)
    assert (row.status, row.title, row.turns, row.cwd) == ("ok", "", 0, "/work/app")


def test_a_damaged_header_hides_no_record(log: Path) -> None:
    lines = lines_of(conversation(HELLO))
    log.write_bytes(b"\n".join([lines[0][:20], *lines[1:], b""]))
    loaded = read_log(log)
    assert (loaded.header["id"], loaded.status) == ("s1", "damaged")
    assert shown(loaded) == ["hello", "hi"]
    assert read_summary(log).status == "damaged"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"format": "dsh-tui", "version": 9, "anything": 1}, "format version 9"),
        ({"type": "session", "version": 3, "id": "x"}, "not a dsh-tui session log"),
    ],
)
def test_a_foreign_version_is_said_before_its_shape_is_judged(
    log: Path, header: dict[str, object], words: str
) -> None:
    log.write_bytes(dump_bytes(header) + b"\n")
    with pytest.raises(FormatUnsupportedError, match=words) as caught:
        read_log(log)
    assert caught.value.path == log
    row = read_summary(log)
    assert (row.status, row.id) == ("foreign-version", "s1")
    assert words in row.note


def test_a_log_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(NotStoredError, match="no session log at"):
        read_log(tmp_path / "none.jsonl")
