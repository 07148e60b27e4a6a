from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.base.regular_file import UnreadableError
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.persistence.jsonl.summary import read_summary
from dsh_tui.engine.persistence.jsonl.tail import read_tail
from dsh_tui.engine.projection.views import AnswerView, UserView
from dsh_tui.engine.session.pack import ChunkRun
from dsh_tui.first_look import GENERATION, first_look
from tests.fakes.odd_files import ODD_FILES
from tests.fakes.session_logs import bare_session, whole_turn

TURNS = 30


def _log(root: Path) -> Path:
    session = bare_session("s1")
    for turn in range(1, TURNS + 1):
        whole_turn(session, f"question {turn}", f"answer {turn}", "ans", "wer ", str(turn))
    path = log_path(root, "/work/app", "s1")
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_header(session.header) + encode_rows(session.events.rows()))
    return path


@pytest.mark.parametrize("size", [1_500, 3_000, 1 << 20])
def test_a_tail_begins_with_a_turn_and_ends_with_the_log(tmp_path: Path, size: int) -> None:
    path = _log(tmp_path)
    tail = read_tail(path, size)
    assert tail is not None
    header, rows = tail
    assert header["id"] == "s1"
    first, last = rows[0], rows[-1]
    assert not isinstance(first, ChunkRun)
    assert not isinstance(last, ChunkRun)
    assert first.type == "turn/start"
    assert (last.type, last.data["turn"]) == ("turn/end", TURNS)
    assert [row.seq for row in rows] == sorted(row.seq for row in rows)


def test_what_is_no_row_is_passed_over(tmp_path: Path) -> None:
    path = _log(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"half": \n\xff\n{"type":"turn/start","seq":1')
    tail = read_tail(path)
    assert tail is not None
    last = tail[1][-1]
    assert not isinstance(last, ChunkRun)
    assert last.data["turn"] == TURNS


@pytest.mark.parametrize("data", [b"", b"\n", b"no header\n", b'{"format":"dsh-tui","version":9}\n'])
def test_a_file_that_is_no_log_has_no_tail(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(data)
    assert read_tail(path) is None


def test_a_first_look_shows_the_newest_turn(tmp_path: Path) -> None:
    _log(tmp_path)
    view = first_look(tmp_path, "s1")
    assert view is not None
    assert view.generation == GENERATION
    said = [block.text for block in view.blocks if isinstance(block, UserView | AnswerView)]
    assert said[-2:] == [f"question {TURNS}", f"answer {TURNS}"]
    assert first_look(tmp_path, "another") is None


@pytest.mark.parametrize("kind", ["pipe", "directory", "link to a pipe", "endless device", "loop of links"])
def test_what_is_no_file_is_told_and_nothing_waits_for_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "session.jsonl"
    ODD_FILES[kind](path)
    with pytest.raises(UnreadableError):
        read_tail(path)
    with pytest.raises(PersistenceError):
        read_summary(path)
