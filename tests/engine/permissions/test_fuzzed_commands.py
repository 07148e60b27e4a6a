"""Lines that rules allow, run in a real bash: nothing that the rules don't cover may run.

Every argument list that a covered command was started with must also be one that was read, so the
readers are held against bash itself.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.command_line import SimpleCommand
from dsh_tui.engine.permissions.command_rules import command_of, find_all
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.rule import Rule
from tests.engine.permissions.command_lines import RULES, CommandLines

BASH = os.environ.get("DSH_FUZZ_BASH") or shutil.which("bash") or "/bin/bash"
"""Versions of bash read differently: whoever has others can name one."""
SEPARATOR = "\x1f"


@dataclass
class Range:
    """A folder where lines are shot at: covered commands that log their arguments, and evil."""

    root: Path
    allowed: int = 0
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.work, self.log, programs = self.root / "work", self.root / "log", self.root / "programs"
        for folder in (self.work / "sub", self.log, programs, self.root / "home"):
            folder.mkdir(parents=True)
        self.marker = self.root / "marker"
        note = f"printf '%s\\037' \"${{0##*/}}\" \"$@\" >'{self.log}'/$$\n"
        for place, names in ((programs, ("okA", "okB", "okC", "ok D")), (self.work, ("okE",))):
            for name in names:
                _program(place / name, note)
        _program(programs / "okS", f"{note}exec sh\n")
        evil = f"echo \"$0 $*\" >>'{self.marker}'\n"
        for place in (
            programs / "evil",
            self.work / "evil",
            self.work / "sub" / "okE",
            self.root / "home" / "evil",
        ):
            _program(place, evil)
        for name in (
            "okA",
            "okZ",
            "echo",
            "timeout",
            "nice",
            "time",
            "command",
        ):  # found only by whoever looks here
            _program(self.work / name, evil)
        (self.work / "in.txt").write_text("in\n")
        self.rules = [Rule.parse(text) for text in RULES]
        self.env = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(self.root / "home"), "LANG": "C.UTF-8"}
        self.before = self._files()

    def shoot(self, line: str) -> None:
        """Run the line if it is allowed, and note what should not have happened."""
        call = CallFacts(tool="bash", kind="execute", arguments={"command": line}, cwd=self.work)
        verdict = judge(self.rules, call)
        if verdict.decision != "allow":
            return
        self.allowed += 1
        self._run(line)
        if self.marker.exists():
            self.failures.append(f"{line!r} ran evil: {self.marker.read_text()!r}")
            self.marker.unlink()
        if (files := self._files()) != self.before:
            self.failures.append(f"{line!r} changed files: {sorted(files ^ self.before)}")
            self.before = files
        found = find_all(command_of(call)).commands
        for started in self._started():
            if not any(_is(command, started) for command in found):
                self.failures.append(f"{line!r} started {started}, which was not read")

    def _run(self, line: str) -> None:
        """Run it as the product does, and wait for all that it leaves behind."""
        alive, held = os.pipe()
        process = subprocess.Popen(
            [BASH, "-c", line],
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(held,),
        )
        os.close(held)
        if not select.select([alive], [], [], 5)[0]:  # a loop, or something in the background
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(alive)

    def _started(self) -> list[list[str]]:
        started = []
        for note in self.log.iterdir():
            started.append(note.read_bytes().decode("utf-8", "surrogateescape").split(SEPARATOR)[:-1])
            note.unlink()
        return started

    def _files(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.work.rglob("*")}


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def _is(command: SimpleCommand, started: list[str]) -> bool:
    """True if the command can have started a program with these arguments."""
    for at, word in enumerate(command.words):
        if word.is_one and at < len(started) and started[at].startswith(word.text):
            continue
        if not word.literal:
            return not word.is_one
        text = (command.program or "") if at == 0 else word.text
        if at >= len(started) or started[at] != text:
            return False
    return len(started) == len(command.words)


def _shoot(tmp_path: Path, seed: int, count: int) -> Range:
    shooting = Range(tmp_path / "range")
    lines = CommandLines(seed)
    for _ in range(count):
        shooting.shoot(lines.line())
    assert not shooting.failures, "\n".join([f"seed {seed}:", *shooting.failures])
    return shooting


def test_nothing_uncovered_runs_in_lines_that_are_allowed(tmp_path: Path) -> None:
    shooting = _shoot(tmp_path, seed=20261130, count=600)
    assert shooting.allowed >= 60  # else the rules were never used


@pytest.mark.soak
def test_nothing_uncovered_runs_in_ten_thousand_lines(tmp_path: Path) -> None:
    seed = int(os.environ.get("DSH_FUZZ_SEED", random.SystemRandom().randrange(2**32)))
    print(f"DSH_FUZZ_SEED={seed}")
    shooting = _shoot(tmp_path, seed, count=10_000)
    print(f"{shooting.allowed} of 10,000 lines were allowed and run")
    assert shooting.allowed >= 1_000
