from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.errors import AlreadyStoredError, SessionOwnershipLostError, WriteFailedError
from dsh_tui.engine.persistence.jsonl.writer import LogFile
from tests.fakes.flaky_disk import FlakyDisk

HEADER = b"header\n"


@pytest.fixture
def disk() -> FlakyDisk:
    return FlakyDisk()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "--p--" / "s1" / "session.jsonl"


@pytest.fixture
def file(path: Path, disk: FlakyDisk) -> LogFile:
    return LogFile(path, disk=disk)


def modes(path: Path) -> list[int]:
    return [each.stat().st_mode & 0o777 for each in (path, path.parent, path.parent.parent, path.parents[2])]


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077, 0o277])
def test_files_and_folders_are_private_from_the_first_moment(file: LogFile, path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        file.append(b"one\n", header=HEADER)
    finally:
        os.umask(before)
    assert modes(path)[1:] == [0o700] * 3
    assert modes(path)[0] & 0o177 == 0
    assert [each.name for each in path.parent.iterdir()] == ["session.jsonl"]
    file.close()


def test_nothing_exists_before_the_first_append(file: LogFile, path: Path) -> None:
    assert not file.published
    assert not path.parent.exists()
    file.append(b"one\n", header=HEADER)
    file.append(b"two\n", header=b"not again")
    file.append(b"")
    assert path.read_bytes() == HEADER + b"one\ntwo\n"
    assert file.size == path.stat().st_size
    file.close()


def test_an_existing_file_is_never_overwritten(file: LogFile, path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    with pytest.raises(AlreadyStoredError, match="exists already"):
        file.append(b"one\n", header=HEADER)
    assert path.read_bytes() == b""
    assert len(list(path.parent.iterdir())) == 1


def test_a_publication_that_fails_leaves_nothing_and_can_be_tried_again(
    file: LogFile, path: Path, disk: FlakyDisk
) -> None:
    disk.room = 9
    with pytest.raises(WriteFailedError, match="No space left on device"):
        file.append(b"one\n", header=HEADER)
    disk.room = None
    disk.failing_syncs = 1
    with pytest.raises(WriteFailedError, match="Input/output error"):
        file.append(b"one\n", header=HEADER)
    assert not path.parent.exists()
    file.append(b"one\n", header=HEADER)
    assert path.read_bytes() == HEADER + b"one\n"
    file.close()


def test_a_full_disk_costs_nothing_that_was_acknowledged(file: LogFile, path: Path, disk: FlakyDisk) -> None:
    file.append(b"one\n", header=HEADER)
    disk.room = 5
    with pytest.raises(WriteFailedError, match="nothing saved so far is lost") as caught:
        file.append(b"a long second line\n")
    assert "\n" not in caught.value.message
    assert path.read_bytes() == HEADER + b"one\n"
    disk.room = None
    file.append(b"a long second line\n")
    assert path.read_bytes() == HEADER + b"one\na long second line\n"
    file.close()


def test_a_failed_sync_then_a_retry_leaves_each_line_once(file: LogFile, path: Path, disk: FlakyDisk) -> None:
    file.append(b"one\n", header=HEADER)
    disk.failing_syncs = 1
    with pytest.raises(WriteFailedError):
        file.append(b"two\n")
    file.append(b"two\nthree\n")
    assert path.read_bytes() == HEADER + b"one\ntwo\nthree\n"
    file.close()


def test_a_failed_cut_is_made_good_before_the_next_write(file: LogFile, path: Path, disk: FlakyDisk) -> None:
    file.append(b"one\n", header=HEADER)
    disk.room, disk.failing_truncates = 2, 2
    with pytest.raises(WriteFailedError):
        file.append(b"two\n")
    assert path.read_bytes() == HEADER + b"one\ntw"
    with pytest.raises(WriteFailedError):
        file.append(b"two\n")
    disk.room = None
    file.append(b"two\n")
    assert path.read_bytes() == HEADER + b"one\ntwo\n"
    file.close()


def test_short_writes_are_finished(file: LogFile, path: Path, disk: FlakyDisk) -> None:
    disk.short_writes = 2
    file.append(b"one\n", header=HEADER)
    disk.short_writes = 3
    file.append(b"a longer line\n")
    assert path.read_bytes() == HEADER + b"one\na longer line\n"
    file.close()


def test_foreign_bytes_stop_the_writer(file: LogFile, path: Path) -> None:
    file.append(b"one\n", header=HEADER)
    with path.open("ab") as other:
        other.write(b"mine\n")
    with pytest.raises(SessionOwnershipLostError, match="changed by another program"):
        file.append(b"two\n")
    assert path.read_bytes() == HEADER + b"one\nmine\n"
    file.close()


def test_a_replaced_or_vanished_file_stops_the_writer(file: LogFile, path: Path) -> None:
    file.append(b"one\n", header=HEADER)
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    with pytest.raises(SessionOwnershipLostError):
        file.append(b"two\n")
    path.unlink()
    with pytest.raises(SessionOwnershipLostError):
        file.append(b"two\n")
    assert not path.exists()
    file.close()


def test_adopting_cuts_the_torn_end_and_tightens_the_mode(path: Path, disk: FlakyDisk) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(HEADER + b"one\ntor")
    path.chmod(0o644)
    stat = path.stat()
    file = LogFile.adopt(path, len(HEADER) + 4, stat.st_size, stat.st_ino, disk=disk)
    file.cut()
    assert path.read_bytes() == HEADER + b"one\n"
    assert path.stat().st_mode & 0o777 == 0o600
    file.append(b"two\n", header=HEADER)
    assert path.read_bytes() == HEADER + b"one\ntwo\n"
    file.close()


def test_adopting_a_file_that_moved_on_is_refused(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(HEADER)
    stat = path.stat()
    with path.open("ab") as other:
        other.write(b"more\n")
    with pytest.raises(SessionOwnershipLostError):
        LogFile.adopt(path, len(HEADER), stat.st_size, stat.st_ino)
    assert path.read_bytes() == HEADER + b"more\n"


_LIMITED = """
import resource, sys
from pathlib import Path
from dsh_tui.engine.persistence.errors import WriteFailedError
from dsh_tui.engine.persistence.jsonl.writer import LogFile
file = LogFile(Path(sys.argv[1]))
file.append(b"one\\n", header=b"header\\n")
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
try:
    file.append(b"x" * 4096 + b"\\n")
except WriteFailedError as error:
    print(error.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
file.append(b"two\\n")
"""


def test_a_real_size_limit_is_survived(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert "File too large" in done.stdout
    assert done.stderr == ""
    assert path.read_bytes() == b"header\none\ntwo\n"
