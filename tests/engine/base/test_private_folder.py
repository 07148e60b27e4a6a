"""Folders and files of the program are their owner's alone, whatever the umask, from the first moment."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.private_folder import keep_private, make_missing, make_private
from dsh_tui.engine.base.program_log import PrivateFile
from dsh_tui.engine.credentials.store import CredentialStore
from dsh_tui.engine.settings.home import Home, HomeError


@pytest.fixture(params=[0o022, 0o000, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_every_folder_that_is_made_is_private_not_only_the_last(tmp_path: Path) -> None:
    gained = make_missing(tmp_path / "a/b/c")
    assert [mode(tmp_path / one) for one in ("a", "a/b", "a/b/c")] == [0o700] * 3
    assert gained == [tmp_path, tmp_path / "a", tmp_path / "a/b"]


@pytest.mark.usefixtures("umask")
def test_a_file_that_is_written_whole_makes_private_folders(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a/b/file", b"x")
    assert [mode(tmp_path / one) for one in ("a", "a/b", "a/b/file")] == [0o700, 0o700, 0o600]


def test_folders_that_are_there_keep_their_modes_unless_they_are_to_be_private(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    assert make_missing(folder) == []
    assert mode(folder) == 0o755
    make_private(folder)
    assert mode(folder) == 0o700


def test_a_file_in_the_way_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(FileExistsError):
        make_missing(tmp_path / "a")


@pytest.mark.parametrize("before", [0o644, 0o666, 0o604])
def test_a_laxer_file_is_tightened(tmp_path: Path, before: int) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    path.chmod(before)
    with path.open() as file:
        keep_private(file.fileno())
    assert mode(path) == 0o600


def _read_credentials(path: Path) -> None:
    CredentialStore(path, {}).resolve("deepseek")


def _log_a_warning(path: Path) -> None:
    handler = PrivateFile(path)
    handler.close()


@pytest.mark.parametrize("use", [_read_credentials, _log_a_warning])
def test_a_laxer_file_of_an_earlier_time_is_tightened_when_it_is_opened(
    tmp_path: Path, use: Callable[[Path], None]
) -> None:
    path = tmp_path / "file"
    path.write_text("deepseek: sk-x\n")
    path.chmod(0o644)
    use(path)
    assert mode(path) == 0o600


def test_a_pipe_in_the_place_of_the_log_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "file")
    with pytest.raises(OSError, match="No such device"):
        _log_a_warning(tmp_path / "file")


def test_the_homes_folders_are_tightened_and_what_the_user_named_is_left(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.sessions.mkdir(parents=True)
    home.sessions.chmod(0o755)
    home.root.chmod(0o755)
    home.prepare()
    assert [mode(one) for one in (home.sessions, home.plugins, home.logs)] == [0o700] * 3
    assert mode(home.root) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_that_belongs_to_another_user_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    os.chown(home.sessions, 12_345, -1)
    with pytest.raises(HomeError, match="sessions belongs to another user"):
        home.prepare()
