"""The process that ends what a killed program left: real groups, real pipes, a real kill."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_tui.engine.shell.lifeline import Lifeline
from dsh_tui.engine.shell.processes import group_runs
from tests.fakes.until import until_then

BASH = shutil.which("bash") or "/bin/bash"
PROGRAM = """
import os, signal, subprocess, sys
from dsh_tui.engine.shell.lifeline import Lifeline

lifeline = Lifeline({bash!r}, grace=0.2)
silent = {{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}}
for command in sys.argv[1:]:
    child = subprocess.Popen([{bash!r}, "-c", command], **silent)
    lifeline.watch(child.pid)
    print(child.pid, flush=True)
lifeline.forget(child.pid)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def groups() -> Iterator[list[int]]:
    started: list[int] = []
    yield started
    for group in started:
        if group_runs(group):
            os.killpg(group, signal.SIGKILL)


def test_what_runs_when_its_program_is_killed_is_ended_and_what_was_forgotten_is_not(
    groups: list[int], tmp_path: Path
) -> None:
    stubborn = f"trap '' TERM; touch {tmp_path}/ready; while :; do sleep 0.05; done"
    commands = ("sleep 600", stubborn, f"until [ -e {tmp_path}/ready ]; do sleep 0.01; done; sleep 600")
    program = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(bash=BASH), *commands],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert program.returncode == -signal.SIGKILL, program.stderr
    groups += map(int, program.stdout.split())
    polite, deaf, forgotten = groups
    until_then(lambda: not group_runs(polite) and not group_runs(deaf), "the end of both groups")
    assert group_runs(forgotten)


def test_it_ends_when_nothing_is_left_and_harms_nobody(groups: list[int]) -> None:
    lifeline = Lifeline(BASH, grace=0.1)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as child:
        groups.append(child.pid)
        lifeline.watch(child.pid)
        lifeline.forget(child.pid)
        lifeline.close()
        assert child.poll() is None
        child.kill()


def test_without_a_shell_commands_run_all_the_same() -> None:
    lifeline = Lifeline("/no/such/bash", grace=0.1)
    lifeline.watch(os.getpid())
    lifeline.forget(os.getpid())
    lifeline.close()
