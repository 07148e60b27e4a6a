"""``exec`` from outside: one task against an instant model, and what a tool step adds to the tool."""

from __future__ import annotations

import os
import subprocess
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
    start = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert child.stdout is not None
    said = child.stdout.read()
    # Not `wait`: only wait4 tells the peak. It can't be below this process's own, which is small.
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stdout.close()
    if child.returncode != 0:
        raise RuntimeError(
            f"{command} ended with {child.returncode}: {said.decode(errors='replace')[-2_000:]}"
        )
    return wall, usage.ru_maxrss / 1024
