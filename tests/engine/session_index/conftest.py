"""An index over a folder of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.session_index.index import SessionIndex
from tests.fakes.log_folder import LogFolder


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path / "sessions")


@pytest.fixture
def index(tmp_path: Path, folder: LogFolder) -> SessionIndex:
    return SessionIndex(tmp_path / "index.sqlite", [JsonlLogs(folder.root)])
