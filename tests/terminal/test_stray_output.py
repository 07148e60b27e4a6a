"""Standard output and error, led away and given back: in a process of its own, which has no screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, sys
from pathlib import Path
from dsh_tui.terminal.stray_output import StrayOutput

stray = StrayOutput(Path(sys.argv[1]) if sys.argv[1] else None)
os.write(1, b"before ")
stray.catch()
stray.catch()
os.write(1, b"out ")
os.write(2, b"err ")
stray.release()
os.write(1, b"after")
"""


def run(path: str) -> bytes:
    """What came out where it used to."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, check=True, cwd=root)
    assert done.stderr == b""
    return done.stdout


def test_what_is_written_meanwhile_is_in_the_file_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "output.log"
    assert run(str(path)) == b"before after"
    assert run(str(path)) == b"before after"
    assert path.read_bytes() == b"out err out err "
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_has_grown_large_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "output.log"
    path.write_bytes(b"x" * 1_000_001)
    run(str(path))
    assert path.read_bytes() == b"out err "


def test_without_a_file_it_is_dropped(tmp_path: Path) -> None:
    assert run("") == b"before after"
    assert run(str(tmp_path)) == b"before after"
    os.mkfifo(tmp_path / "output.log")
    assert run(str(tmp_path / "output.log")) == b"before after"
