"""Whatever lies in the place of a file, the look at it ends, and says what is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh_tui.engine.base.regular_file import UnreadableError, opened_regular, read_regular
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.odd_files import ODD_FILES

LARGEST = 1_048_576
REPLACE = "put a file in its place, or remove it"
SAID = {
    "pipe": f"is a pipe, not a file; {REPLACE}",
    "directory": f"is a directory, not a file; {REPLACE}",
    "socket": f"is a socket, not a file; {REPLACE}",
    "endless device": f"is a link to /dev/zero, a device and not a file; {REPLACE}",
    "link to a pipe": f"is a link to {{path}}.pipe, a pipe and not a file; {REPLACE}",
    "dangling link": "is a link that leads nowhere; mend the link, or remove it",
    "loop of links": "is a loop of links; mend the link, or remove it",
    "huge file": "is larger than 1 MiB; make it smaller",
}


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_no_file_is_told_in_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "settings"
    ODD_FILES[kind](path)
    with pytest.raises(UnreadableError) as caught:
        read_regular(path, LARGEST)
    assert caught.value.message == SAID[kind].format(path=path)


def test_a_file_is_read_to_its_bound_and_not_a_byte_further(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1024)
    assert read_regular(path, 1024) == b"x" * 1024
    with pytest.raises(UnreadableError, match="larger than 1,023 bytes"):
        read_regular(path, 1023)
    path.write_bytes(b"")
    assert read_regular(path, 0) == b""


def test_a_file_that_grows_while_it_is_read_has_an_end(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="larger than 1 KiB"):
        read_regular(Path("/proc/self/smaps"), 1024)  # its size is said to be 0


def test_nothing_there_is_not_the_same_as_nothing_readable(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none", LARGEST)
    (tmp_path / "file").touch()
    with pytest.raises(UnreadableError, match=r"can't be read \(Not a directory\)"):
        read_regular(tmp_path / "file/below", LARGEST)
    with pytest.raises(UnreadableError, match=r"can't be read \(embedded null byte\)"):
        read_regular(tmp_path / "nul\0", LARGEST)


def test_a_closed_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    path.chmod(0)
    with modes_obeyed(), pytest.raises(UnreadableError) as caught:
        read_regular(path, LARGEST)
    assert caught.value.message == "can't be read (Permission denied); give yourself the right to"


def test_a_link_is_followed_unless_none_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", LARGEST) == b"mine"
    with pytest.raises(UnreadableError, match="is a link, and may be none"):
        read_regular(tmp_path / "link", LARGEST, follow=False)


def test_a_descriptor_is_closed_whatever_comes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(UnreadableError, match="can't be read"), opened_regular(path) as fd:
        raise OSError(5, "Input/output error")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
