from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.base.work_folder import why_unusable
from tests.fakes.closed_files import modes_obeyed


def test_one_can_work_in_a_directory_and_over_a_link_to_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert (why_unusable(str(tmp_path)), why_unusable(str(tmp_path / "link"))) == ("", "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone", "gone is gone"),
        ("file", "file is no directory any more"),
        ("file/below", "below can't be reached: Not a directory"),
        ("a [/b]\nc\x1b[31m", "a [/b]␊c␛[31m is gone"),
        ("n" * 300, "nnn can't be reached: File name too long"),
        ("nul\0", "can't be reached: embedded null byte"),
    ],
)
def test_what_is_no_directory_is_told_in_one_line(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "file").write_text("")
    why = why_unusable(f"{tmp_path}/{name}")
    assert why.endswith(said)
    assert why.isprintable()


@pytest.mark.parametrize(("mode", "below"), [(0o000, ""), (0o600, ""), (0o311, ""), (0o000, "inside")])
def test_what_one_may_not_look_into_is_told(tmp_path: Path, mode: int, below: str) -> None:
    place = tmp_path / "closed"
    (place / "inside").mkdir(parents=True)
    place.chmod(mode)
    with modes_obeyed():
        assert why_unusable(str(place / below)).endswith("permission denied")
    place.chmod(0o700)


def test_a_session_without_a_directory_says_so() -> None:
    assert why_unusable(None) == "the session names no directory"
