"""The file of the index: private, made anew when it is of no use, and told of when it can't be."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.session_index.database import Database, IndexUnavailableError
from dsh_tui.engine.session_index.index import SessionIndex
from tests.fakes.log_folder import LogFolder
from tests.fakes.odd_files import ODD_FILES


def ids(index: SessionIndex) -> set[str]:
    return {row.id for row in index.rows()}


def found(index: SessionIndex, words: str) -> set[str]:
    return {hit.session_id for hit in index.search(words).hits}


def test_the_file_is_private(index: SessionIndex) -> None:
    index.refresh()
    siblings = index.path.parent.glob("index.sqlite*")
    assert {stat.S_IMODE(path.stat().st_mode) for path in siblings} == {0o600}


def test_deleting_it_loses_nothing(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("a", ("hello", "zebra"))
    index.refresh()
    for path in list(index.path.parent.glob("index.sqlite*")):
        path.unlink()
    assert index.rows() == []
    index.refresh()
    assert found(index, "zebra") == {"a"}


def test_rebuilding_reads_everything_again(index: SessionIndex, folder: LogFolder) -> None:
    folder.add("a", ("hello", "hi"))
    index.refresh()
    assert index.rebuild() == 1
    assert ids(index) == {"a"}


def test_an_index_that_another_process_made_anew_gives_no_row_the_id_of_another(
    index: SessionIndex, folder: LogFolder
) -> None:
    for session_id, cwd in (("one", "/work/a"), ("one", "/work/b"), ("two", "/work/a")):
        folder.add(session_id, ("hello", "hi"), cwd=cwd)
    index.refresh()
    state = index.state()
    assert ids(index) == {"dsh-tui:--work-a--/one", "dsh-tui:--work-b--/one", "two"}
    newest = folder.add("three", ("hello", "hi"))
    os.utime(newest, (2e9, 2e9))
    other = SessionIndex(index.path, index.sources)
    other.rebuild()
    assert index.state() != state
    assert index.rows() == other.rows()


@pytest.mark.parametrize("garbage", [b"not a database at all " * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_broken_file_is_made_anew(index: SessionIndex, folder: LogFolder, garbage: bytes) -> None:
    folder.add("a", ("hello", "zebra"))
    index.path.write_bytes(garbage)
    index.refresh()
    assert found(index, "zebra") == {"a"}


@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "endless device", "huge file"])
def test_what_is_no_file_is_taken_away_and_made_anew(
    index: SessionIndex, folder: LogFolder, kind: str
) -> None:
    folder.add("a", ("hello", "zebra"))
    ODD_FILES[kind](index.path)
    index.refresh()
    assert found(index, "zebra") == {"a"}
    assert index.path.is_file()


@pytest.mark.parametrize("kind", ["directory", "loop of links", "socket"])
def test_what_can_not_be_taken_away_is_told(index: SessionIndex, folder: LogFolder, kind: str) -> None:
    ODD_FILES[kind](index.path)
    with pytest.raises(IndexUnavailableError, match=r"index\.sqlite can't be used: "):
        index.refresh()


def test_a_file_broken_in_the_middle_is_made_anew(index: SessionIndex, folder: LogFolder) -> None:
    for number in range(40):
        folder.add(f"s{number}", (f"hello {number}", "zebra " * 400))
    index.refresh()
    data = bytearray(index.path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    index.path.write_bytes(data)
    for suffix in ("-wal", "-shm"):
        Path(f"{index.path}{suffix}").unlink(missing_ok=True)
    try:
        index.refresh()
    except IndexUnavailableError:  # said once; the next use finds a new file
        index.refresh()
    assert len(index.rows()) == 40
    assert len(found(index, "zebra")) == 40


def test_an_index_of_another_version_is_made_anew(
    index: SessionIndex, folder: LogFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.add("a", ("hello", "hi"))
    index.refresh()
    monkeypatch.setattr("dsh_tui.engine.session_index.database.VERSION", 99)
    assert index.rows() == []
    index.refresh()
    assert ids(index) == {"a"}


def test_where_it_cannot_be_it_says_so_in_one_line(tmp_path: Path, folder: LogFolder) -> None:
    (tmp_path / "file").write_text("")
    index = SessionIndex(tmp_path / "file" / "index.sqlite", [JsonlLogs(folder.root)])
    with pytest.raises(IndexUnavailableError, match=r"index\.sqlite"):
        index.rows()


LOOK = """
import sys
from pathlib import Path
from dsh_tui.engine.session_index.database import Database
with Database(Path(sys.argv[1])).open() as db:
    db.execute("SELECT * FROM state").fetchall()
"""


def test_what_is_written_stays_though_a_thread_and_another_process_look_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with Database(path).open() as writing:
        writing.execute("UPDATE state SET generation = 7")
        with Database(path).open() as reading:
            reading.execute("SELECT * FROM state").fetchall()
        subprocess.run([sys.executable, "-c", LOOK, str(path)], check=True)
        writing.execute("UPDATE state SET generation = 8")
        with Database(path).open() as reading:
            assert reading.execute("SELECT generation FROM state").fetchone() == (8,)


def test_a_file_that_others_may_read_is_closed_to_them(index: SessionIndex) -> None:
    index.refresh()
    index.path.chmod(0o644)
    index.rows()
    assert stat.S_IMODE(index.path.stat().st_mode) == 0o600


def test_nothing_is_left_beside_a_new_file(index: SessionIndex) -> None:
    index.refresh()
    assert [path.name for path in index.path.parent.glob(".*")] == []


def test_a_broken_file_that_another_program_locks_is_told(tmp_path: Path) -> None:
    database = Database(tmp_path / "index.sqlite")
    database.path.write_bytes(b"not a database at all " * 100)
    database.lock_s = 0.0
    with database.path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(IndexUnavailableError, match="is locked by another program"), database.open():
            pass


def test_damage_found_while_it_is_used_is_told_though_the_file_can_not_be_taken_away(tmp_path: Path) -> None:
    def find_damage() -> None:
        path.unlink()
        path.mkdir()
        raise sqlite3.DatabaseError("malformed")

    path = tmp_path / "index.sqlite"
    with pytest.raises(IndexUnavailableError, match=r"index\.sqlite can't be used: "), Database(path).open():
        find_damage()
