from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.persistence.errors import AmbiguousIdError, UnsafeIdError
from dsh_tui.engine.persistence.jsonl.paths import (
    escape_id,
    find_log,
    iter_logs,
    log_path,
    project_dir_name,
    shown_id,
    shown_ids,
    unescape_id,
)

IDS = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=20) | st.sampled_from(
    [".", "..", "...", "/etc/passwd", "../../x", "a/b", "a\\b", "%2E", "%2e", "a%", "\0", "-", "~", "CON"]
)


@given(IDS, IDS)
def test_every_id_has_a_directory_of_its_own(one: str, other: str) -> None:
    name = escape_id(one)
    assert (name == escape_id(other)) == (one == other)
    assert unescape_id(name) == one
    assert name not in {".", ".."}
    assert not {os.sep, "/", "\\", "\0"} & set(name)
    assert not name.startswith(".")


@given(IDS)
def test_no_id_reaches_outside_the_root(session_id: str) -> None:
    root = Path("/root/sessions")
    path = log_path(root, "/../../etc", session_id)
    assert path == Path(os.path.normpath(path))
    assert path.parent.parent.parent == root


def test_plain_ids_name_their_directory_as_they_are() -> None:
    assert escape_id("session-3f9a1c20-b7d4") == "session-3f9a1c20-b7d4"
    assert escape_id("../up") == "%2E.%2Fup"


@pytest.mark.parametrize("session_id", ["", "x" * 300, "中" * 100])
def test_ids_that_cannot_name_a_directory_are_refused(session_id: str) -> None:
    with pytest.raises(UnsafeIdError):
        escape_id(session_id)


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/dev/project", "--home-dev-project--"),
        ("/home/dev/my project!", "--home-dev-my-project---"),
        ("/", "----"),
        ("/工作/项目", "--工作-项目--"),
        ("C:\\work\\app", "--C--work-app--"),
        (None, "--no-directory--"),
    ],
)
def test_a_project_is_named_after_its_directory(cwd: str | None, name: str) -> None:
    assert project_dir_name(cwd) == name


def test_a_very_long_directory_still_has_a_name() -> None:
    one, other = ("/" + "x" * 400, "/" + "x" * 400 + "y")
    assert project_dir_name(one) != project_dir_name(other)
    assert len(project_dir_name("/" + "工" * 400).encode()) < 255


def test_a_log_is_found_under_any_project(tmp_path: Path) -> None:
    path = log_path(tmp_path, "/a/b", "../s")
    assert find_log(tmp_path, "../s") is None
    path.parent.mkdir(parents=True)
    assert list(iter_logs(tmp_path)) == []
    path.write_bytes(b"")
    assert find_log(tmp_path, "../s") == path
    assert list(iter_logs(tmp_path)) == [path]
    assert find_log(tmp_path, "") is None
    assert find_log(tmp_path / "nowhere", "s") is None
    assert list(iter_logs(tmp_path / "nowhere")) == []


def placed(root: Path, project: str, folder: str) -> Path:
    path = root / project / folder / "session.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    return path


def test_each_log_is_found_by_what_it_is_called_whatever_its_folder_is_called(tmp_path: Path) -> None:
    logs = [
        placed(tmp_path, project, folder)
        for project, folder in (
            ("--a--", "one"), ("--a--", "two"), ("--b--", "two"), ("--b--", "a%20copy"), ("--b--", "a copy"),
            ("by hand", "three"), ("--a--", "%41"), ("--a--", "..four"), ("--a--", "复制"),
        )
    ]  # fmt: skip
    shown = shown_ids(logs)
    assert len(set(shown.values())) == len(logs)
    assert {name: find_log(tmp_path, name) for name in shown.values()} == {
        name: log for log, name in shown.items()
    }
    assert all(shown_id(tmp_path, log) == name for log, name in shown.items())
    for name in ("two", "a copy"):
        with pytest.raises(AmbiguousIdError, match="say which"):
            find_log(tmp_path, name)


@pytest.mark.parametrize(
    "name",
    ["dsh-tui:--a--/..", "dsh-tui:../x", "dsh-tui:--a--/one/../../secret", "dsh-tui:", "dsh-tui:--a--/"],
)
def test_a_project_in_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    placed(tmp_path / "root", "--a--", "one")
    placed(tmp_path, "secret", "x")
    assert find_log(tmp_path / "root", name) is None
