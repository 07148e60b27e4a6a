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
def log(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[logging.Logger]:
    """One beside the test's own, in a program whose log may fail in silence."""
    monkeypatch.setattr(logging, "raiseExceptions", False)
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
def test_what_lies_in_its_place_stops_nobody_who_logs(path: Path, log: logging.Logger, kind: str) -> None:
    path.parent.mkdir()
    ODD_FILES[kind](path)
    log.warning("one")
    assert not path.is_file()


def test_it_goes_on_once_it_can_be_written(path: Path, log: logging.Logger) -> None:
    log.warning("its folder is gone")
    path.parent.mkdir()
    log.warning("two")
    assert path.read_text() == "two\n"
