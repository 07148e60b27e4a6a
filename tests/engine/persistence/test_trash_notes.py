"""Whatever lies in the trash, what was deleted is found there."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.persistence.jsonl.trash import ORIGIN_NAME, Trash
from tests.fakes.log_folder import LogFolder
from tests.fakes.odd_files import ODD_FILES


@pytest.mark.parametrize("kind", [*ODD_FILES, "deep"])
def test_a_note_that_is_none_hides_no_other(tmp_path: Path, kind: str) -> None:
    trash = Trash(tmp_path / "trash")
    trash.put(LogFolder(tmp_path / "sessions").add("a", ("hello", "hi")), "a", 1)
    (trash.folder / "odd").mkdir()
    if kind == "deep":
        (trash.folder / "odd" / ORIGIN_NAME).write_text("[" * 20_000)
    else:
        ODD_FILES[kind](trash.folder / "odd" / ORIGIN_NAME)
    assert [one.session_id for one in trash.list()] == ["a"]
