"""The command line over a home of its own, for the tests of front ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.cli import main
from tests.fakes.command_line import Run
from tests.fakes.log_folder import LogFolder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DSH_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "none"))
    return tmp_path / "home"


@pytest.fixture
def logs(home: Path) -> LogFolder:
    return LogFolder(home / "sessions")


@pytest.fixture
def run(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    assert home

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(["sessions", *arguments])
        except SystemExit as left:
            status = int(str(left.code))
        said = capsysbinary.readouterr()
        return status, said.out.decode("latin-1"), said.err.decode()

    return run
