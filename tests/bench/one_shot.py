"""``exec`` from outside: one task against an instant model, and what a tool step adds to the tool."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.bench.figures import Sample
from tests.bench.model import model_server
from tests.bench.program import Program
from tests.bench.scene import Take


def one_shot(take: Take) -> Sample:
    """Wall time until it has ended, and the most memory it held."""
    wall, peak = _run(take.program, "exec", "Say ok")
    return {"exec_wall_s": wall, "exec_peak_mb": peak}


def tool_step(take: Take) -> Sample:
    """Many steps with one call each, minus a run without calls, minus the same commands run directly."""
    steps = take.effort.tool_steps
    mark = take.folder / "ran"
    commands = [f"echo {step} >> {mark}" for step in range(steps)]  # no two alike: repeats are remarked upon
    calls = [
        {"tool_calls": [["bash", {"command": each, "description": "Leave a mark"}]]} for each in commands
    ]
    with model_server([*calls, "Done.", "Done."], take.folder) as port:
        program = replace(take.program, port=port)
        acted, _ = _run(program, "exec", "--mode", "full", "Act")
        plain, _ = _run(program, "exec", "--mode", "full", "Say done")
    if len(mark.read_text().split()) != steps:
        raise RuntimeError("not every command ran")
    start = time.perf_counter()
    for command in commands:
        subprocess.run(("bash", "-c", command), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    tools = time.perf_counter() - start
    return {"tool_step_ms": 1_000 * (acted - plain - tools) / steps, "tool_alone_ms": 1_000 * tools / steps}


def _run(program: Program, *arguments: str) -> tuple[float, float]:
    """Seconds and MB of one run."""
    return timed((*program.command, *arguments), program.folder, program.environment())


def timed(command: Sequence[str], cwd: Path, env: dict[str, str]) -> tuple[float, float]:
    """Seconds and peak MB of a command that must succeed."""
    ran = subprocess.run(
        (sys.executable, "-S", "-c", _STOPWATCH, *command), cwd=cwd, env=env, capture_output=True, text=True
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{command} failed: {ran.stdout[-1_000:]}{ran.stderr[-1_000:]}")
    wall, peak = json.loads(ran.stdout.splitlines()[-1])
    return wall, peak


# In a process of its own, since a child's peak is never told lower than what its parent held when it forked.
_STOPWATCH = """
import os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(f"\\n[{time.perf_counter() - start}, {usage.ru_maxrss / 1024}]")
sys.exit(os.waitstatus_to_exitcode(status))
"""
