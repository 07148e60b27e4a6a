from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.dialects.logs import OriginalLogs
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.summary import list_summaries
from dsh_tui.engine.persistence.lease.record import LOCK_NAME
from dsh_tui.engine.persistence.log_source import WholeLog
from dsh_tui.engine.persistence.stored import SessionSummary
from dsh_tui.engine.session_index.index import SessionIndex
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.damaged_home import DAMAGES, damage
from tests.fakes.log_folder import LogFolder
from tests.fakes.odd_files import ODD_FILES
from tests.fakes.session_logs import answer, bare_session, close_turn, open_step, open_turn


def made(tmp_path: Path, folder: LogFolder) -> SessionIndex:
    return SessionIndex(tmp_path / "index.sqlite", [JsonlLogs(folder.root)])


def ids(index: SessionIndex) -> set[str]:
    return {row.id for row in index.rows()}


def found(index: SessionIndex, words: str) -> set[str]:
    return {hit.session_id for hit in index.search(words).hits}


def test_it_is_empty_until_it_was_refreshed_and_holds_every_session_then(
    index: SessionIndex, folder: LogFolder
) -> None:
    folder.add("a", ("hello there", "hi"))
    folder.add("b", ("more", "yes"), ("and more", "no"), cwd="/work/infra")
    assert index.rows() == []
    index.refresh()
    rows = {row.id: row for row in index.rows()}
    assert (rows["a"].title, rows["a"].project, rows["a"].turns) == ("hello there", "app", 1)
    assert (rows["b"].cwd, rows["b"].turns, rows["b"].status) == ("/work/infra", 2, "ok")


def test_only_what_has_changed_is_read_again(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("a", ("hello", "hi"))
    folder.add("b", ("hello", "hi"))
    index.refresh()
    before = index.state()
    index.refresh()
    assert index.state() == before
    folder.add("b", ("hello", "hi"), ("again", "zebra"))
    folder.add("c", ("new", "one"))
    index.refresh()
    assert index.state() != before
    assert ids(index) == {"a", "b", "c"}
    assert found(index, "zebra") == {"b"}


def test_what_another_process_wrote_or_deleted_is_taken_up(
    index: SessionIndex, folder: LogFolder, tmp_path: Path
) -> None:
    path = folder.add("a", ("hello", "antelope"))
    index.refresh()
    other = made(tmp_path, folder)
    assert ids(other) == {"a"}
    path.unlink()
    folder.add("b", ("hello", "hi"))
    other.refresh()
    assert ids(index) == {"b"}
    assert found(index, "antelope") == set()


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 600, b"no json\n", b'{"format":"other"}\n', b'{"format":"dsh-tui","version":99}\n'],
)
def test_a_bad_session_is_a_row_and_never_hides_the_rest(
    index: SessionIndex, folder: LogFolder, content: bytes
) -> None:
    folder.add("good", ("hello", "hi"))
    folder.add("bad", ("hello", "hi")).write_bytes(content)
    index.refresh()
    rows = {row.id: row for row in index.rows()}
    assert rows["good"].status == "ok"
    assert rows["bad"].status in ("damaged", "foreign-version")
    assert rows["bad"].note


class Unreadable(JsonlLogs):
    """A folder in which one log raises whatever it can."""

    def __init__(self, root: Path, error: Exception) -> None:
        super().__init__(root)
        self._error = error

    def summary(self, path: str) -> SessionSummary:
        return self.whole(path).summary

    def whole(self, path: str) -> WholeLog:
        if "bad" in path:
            raise self._error
        return super().whole(path)


@pytest.mark.parametrize("error", [PersistenceError("cannot read it: no permission"), RuntimeError("bug")])
def test_a_log_that_cannot_be_read_at_all_is_a_row_too(
    tmp_path: Path, folder: LogFolder, error: Exception
) -> None:
    folder.add("good", ("hello", "hi"))
    folder.add("bad", ("hello", "hi"))
    index = SessionIndex(tmp_path / "index.sqlite", [Unreadable(folder.root, error)])
    index.refresh()
    rows = {row.id: row for row in index.rows()}
    assert rows["good"].status == "ok"
    assert rows["bad"].status == "damaged"
    assert str(error) in rows["bad"].note


def test_text_that_no_database_takes_is_taken_all_the_same(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("odd", ("half \ud800 pair and \0 nul", "fine [bold]t[/ \x1b[31mred"))
    index.refresh()
    assert ids(index) == {"odd"}
    assert found(index, "fine") == {"odd"}
    assert found(index, "\x1b[31mred") == {"odd"}


def test_every_word_must_occur_whatever_its_case_and_wherever_in_the_session(
    index: SessionIndex, folder: LogFolder
) -> None:
    folder.add("a", ("Why does test_retry flake?", "The FakeClock is read twice"))
    folder.add("b", ("Add a clock", "Done"))
    index.refresh()
    assert found(index, "clock") == {"a", "b"}
    assert found(index, "CLOCK retry") == {"a"}
    assert found(index, "fakeclock") == {"a"}
    assert found(index, "est_ret") == {"a"}
    assert found(index, "clock zebra") == set()
    assert found(index, '"read twice"') == {"a"}
    assert found(index, '"twice read"') == set()
    assert found(index, "   ") == set()


@pytest.mark.parametrize(
    "words", ['"', '""', '"clock', "AND", "text:", "a*", "NOT clock", "(", "^x", "'", "‖"]
)
def test_no_words_are_a_syntax_error(index: SessionIndex, folder: LogFolder, words: str) -> None:
    folder.add("a", ("clock", "hi"))
    index.refresh()
    index.search(words)


def test_chinese_is_found_by_one_two_and_more_characters(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("a", ("为什么重试测试不稳定", "因为时钟被读取了两次"))
    folder.add("b", ("添加密钥", "好"))
    index.refresh()
    assert found(index, "重试测试") == {"a"}
    assert found(index, "时钟") == {"a"}
    assert found(index, "钥") == {"b"}
    assert found(index, "钟时") == set()


def test_short_words_are_found_whole(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("a", ("fix the CI in go", "hi"))
    folder.add("b", ("good", "hi"))
    index.refresh()
    assert found(index, "go") == {"a"}
    assert found(index, "ci") == {"a"}


def test_a_hit_shows_the_place_and_who_spoke(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("a", ("Why?", "x " * 100 + "the clock is read twice\nin retry.py" + " y" * 100))
    index.refresh()
    [hit] = index.search("clock").hits
    assert hit.speaker == "model"
    assert hit.text.startswith("…")
    assert "the clock is read twice in retry.py" in hit.text
    assert [hit.text[start:end] for start, end in hit.marks] == ["clock"]


def test_calls_are_found_by_what_they_were_about(index: SessionIndex, folder: LogFolder) -> None:
    session = bare_session("a")
    turn = open_turn(session, "go")
    open_step(session)
    answer(session, "", "c1")
    called = {
        "turn": turn,
        "step": 1,
        "callId": "c1",
        "name": "bash",
        "arguments": '{"command":"git bisect"}',
    }
    session.append("tool/call", called)
    close_turn(session)
    folder.store(session)
    index.refresh()
    [hit] = index.search("bisect").hits
    assert (hit.speaker, hit.text) == ("call", "bash git bisect")


def test_the_newest_hits_come_and_all_are_counted(index: SessionIndex, folder: LogFolder) -> None:
    for number in range(5):
        folder.add(f"s{number}", ("hello", "zebra"))
    index.refresh()
    found_some = index.search("zebra", limit=2)
    assert (len(found_some.hits), found_some.total) == (2, 5)


@pytest.mark.parametrize("kind", sorted(ODD_FILES.keys() - {"huge file"}))
def test_what_is_called_like_a_log_and_is_none_is_no_session_and_hides_none(
    index: SessionIndex, folder: LogFolder, kind: str
) -> None:
    place = folder.add("a", ("hello", "hi")).parent.parent / "odd"
    place.mkdir()
    ODD_FILES[kind](place / "session.jsonl")
    index.refresh()
    assert ids(index) == {"a"}
    assert [row.id for row in list_summaries(folder.root, now_ms=0)] == ["a"]
    assert find_log(folder.root, "odd") is None


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_called_like_a_lease_and_is_none_stops_no_list(
    index: SessionIndex, folder: LogFolder, kind: str
) -> None:
    ODD_FILES[kind](folder.add("a", ("hello", "hi")).parent / LOCK_NAME)
    index.refresh()
    assert ids(index) == {"a"}
    assert [row.id for row in list_summaries(folder.root, now_ms=0)] == ["a"]


def test_stopping_in_the_middle_keeps_what_is_there(index: SessionIndex, folder: LogFolder) -> None:
    for number in range(5):
        folder.add(f"s{number}", ("hello", "zebra"))
    looks = iter([False, True])
    index.refresh(stopped=lambda: next(looks, True))
    assert 0 < len(index.rows()) < 5
    index.refresh()
    assert len(found(index, "zebra")) == 5


def test_namesakes_of_the_original_are_shown_by_ids_of_their_own(tmp_path: Path, folder: LogFolder) -> None:
    originals = tmp_path / "dsh"
    for project in ("--a--", "--b--"):
        (originals / project / "twice").mkdir(parents=True)
        (originals / project / "twice" / "session.jsonl").write_bytes(b"no log")
    (originals / "--a--" / "taken").mkdir()
    (originals / "--a--" / "taken" / "session.jsonl").write_bytes(b"no log")
    folder.add("taken", ("hello", "hi"))
    index = SessionIndex(tmp_path / "index.sqlite", [JsonlLogs(folder.root), OriginalLogs(originals)])
    index.refresh()
    assert ids(index) == {"taken", "dsh:taken", "dsh:--a--/twice", "dsh:--b--/twice"}


def test_a_session_that_another_process_writes_is_marked(index: SessionIndex, folder: LogFolder) -> None:
    path = folder.add("a", ("hello", "hi"))
    folder.add("b", ("hello", "hi"))
    until = 4_000_000_000_000
    record = {"token": "t" * 40, "pid": 1, "renewedAt": until - 60_000, "expiresAt": until}
    path.with_name(LOCK_NAME).write_text(json.dumps(record))
    index.refresh()
    rows = {row.id: row for row in index.rows()}
    assert (rows["a"].status, rows["b"].status) == ("busy", "ok")
    assert "process 1" in rows["a"].note


_WRITER = """
import sys, time
from pathlib import Path
from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.session_index.index import SessionIndex
index = SessionIndex(Path(sys.argv[1]), [JsonlLogs(Path(sys.argv[2]))])
for _ in range(4):
    index.refresh()
    assert index.search("zebra").total
if sys.argv[3] == "rebuild":
    index.rebuild()
"""


def test_several_processes_may_use_it_at_once(index: SessionIndex, folder: LogFolder) -> None:
    for number in range(60):
        folder.add(f"s{number}", (f"hello {number}", "zebra " * 50))
    work = [sys.executable, "-c", _WRITER, str(index.path), str(folder.root)]
    others = [
        subprocess.Popen([*work, what], stderr=subprocess.PIPE, text=True) for what in ("refresh", "refresh")
    ]
    seen = 0
    while any(other.poll() is None for other in others):
        rows = len(index.rows())  # readers are never kept out by writers
        assert rows >= seen
        seen = rows
    for other in others:
        assert other.communicate()[1] == ""
        assert other.returncode == 0
    assert len(found(index, "zebra")) == 60


def test_each_damaged_log_is_marked_and_says_what_is_wrong_and_hides_no_other(
    index: SessionIndex, folder: LogFolder
) -> None:
    folder.add("sound", ("hello", "hi"))
    large = folder.add("large", *((f"question {number}", "x" * 4_000) for number in range(80)))
    large.write_bytes(large.read_bytes().replace(b'"text":"question 40"', b'"text":"question 4"'))
    damage(folder)
    with modes_obeyed():
        index.refresh()
    rows = {row.id: row for row in index.rows()}
    assert rows.keys() == {"sound", "large", *(one.name for one in DAMAGES)}
    assert (rows["sound"].status, rows["large"].status) == ("ok", "damaged")
    for one in DAMAGES:
        assert (rows[one.name].status, one.note in rows[one.name].note) == (one.status, True), one.name
        assert bool(rows[one.name].note) == (one.status != "ok")
    (folder.root / "--work-app--" / "closed-folder").chmod(0o700)
    index.refresh()
    assert {row.id: row.status for row in index.rows()}["closed-folder"] == "ok"
