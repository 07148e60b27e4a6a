"""kill -9 in the middle of saving, again and again, in a real process on a real disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.jsonl.reader import read_log
from tests.fakes.session_logs import bare_session

HERE = Path(__file__).resolve().parents[2]


def save_and_kill(folder: Path, after: int) -> int:
    """Let it acknowledge ``after`` flushes, kill it while it goes on; the last acknowledged length."""
    command = [sys.executable, "-m", "tests.fakes.saving_process", str(folder)]
    with subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lengths = [int(process.stdout.readline()) for _ in range(after)]
        process.kill()
        lengths += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    return lengths[-1]


@pytest.mark.parametrize("rounds", [(1, 3, 7)])
def test_nothing_acknowledged_is_lost_by_kill_nine(tmp_path: Path, rounds: tuple[int, ...]) -> None:
    for after in rounds:
        acknowledged = save_and_kill(tmp_path, after)
        (path,) = tmp_path.rglob("session.jsonl")
        loaded = read_log(path)
        assert loaded.status == "ok"
        assert len(loaded.events) >= acknowledged
        assert bare_session("again", seed=loaded.events).derive()
