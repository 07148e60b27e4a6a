"""The program's own log: private, and nothing of the program depends on it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_tui.engine.base.program_log import PrivateFile
from tests.fakes.odd_files import ODD_FILES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "dsh-tui.log"


@pytest.fixture
def log(path: Path) -> Iterator[logging.Logger]:
    handler = PrivateFile(path, delay=True)
    log = logging.getLogger("dsh_tui.tests.program_log")
    log.addHandler(handler)
    yield log
    log.removeHandler(handler)
    handler.close()


def test_it_appears_with_the_first_record(path: Path, log: logging.Logger) -> None:
    path.parent.mkdir()
    assert not path.exists()
    log.warning("one")
    assert path.read_text() == "one\n"


@pytest.mark.parametrize("kind", ["pipe", "directory", "link to a pipe", "loop of links", "socket"])
def test_what_lies_in_its_place_stops_nobody_who_logs_and_is_told_to_nobody(
    path: Path, log: logging.Logger, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path.parent.mkdir()
    ODD_FILES[kind](path)
    log.warning("one")
    assert (path.is_file(), capsys.readouterr().err) == (False, "")


def test_a_full_disk_stops_nobody_who_logs_and_is_told_to_nobody(
    path: Path, log: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    path.parent.mkdir()
    path.symlink_to("/dev/full")
    log.warning("one")
    assert capsys.readouterr().err == ""


def test_it_goes_on_once_it_can_be_written(path: Path, log: logging.Logger) -> None:
    log.warning("its folder is gone")
    path.parent.mkdir()
    log.warning("two")
    assert path.read_text() == "two\n"
