"""kill -9 at random moments, again and again, of real processes that write on a real disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("rounds", "seed"), [(60, 1), pytest.param(1_000, 2, marks=pytest.mark.soak, id="soak")]
)
def test_nothing_acknowledged_is_lost_and_every_session_goes_on(
    tmp_path: Path, rounds: int, seed: int
) -> None:
    command = [sys.executable, "-m", "tests.fakes.killed_writers", str(tmp_path), str(rounds), str(seed)]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    counts = json.loads(done.stdout)
    assert counts["killed"] + counts.get("lost", 0) + counts.get("busy", 0) == rounds
    assert counts["killed"] > rounds * 0.8
    assert counts["durable"] > rounds
    assert counts["open"] > rounds / 4  # most were killed in the middle of a turn
    assert counts["accepted"] > rounds / 2  # by a model as strict as the real one, and it refused none
