from __future__ import annotations

from pathlib import Path

from dsh_tui.widgets.file_finder import find_files
from dsh_tui.widgets.fuzzy import best


def test_the_walk_skips_what_nobody_mentions_and_follows_no_link(tmp_path: Path) -> None:
    for name in ("src/app.py", ".git/config", "node_modules/x/index.js", ".venv/bin/python", "README.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert find_files(tmp_path) == ["README.md", "loop", "src/", "src/app.py"]


def test_near_files_come_first_when_the_limit_cuts(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/deep.py").touch()
    (tmp_path / "near.py").touch()
    assert find_files(tmp_path, limit=2) == ["a/", "near.py"]


def test_a_missing_folder_has_no_files(tmp_path: Path) -> None:
    assert find_files(tmp_path / "gone") == []


def test_the_name_counts_more_than_the_folder_and_letters_in_order_are_enough() -> None:
    paths = ["retry/notes.md", "src/retry.py", "tests/test_retry.py", "docs/rate.md"]
    assert best("retry", paths) == ["src/retry.py", "tests/test_retry.py", "retry/notes.md"]
    assert best("ttry", paths) == ["tests/test_retry.py"]
    assert best("", paths, 2) == paths[:2]
    assert best("zz", paths) == []
