"""Fixtures of the sandbox: a workspace, things outside of it, and the backends that work here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dsh_tui.engine.sandbox.bounds import Bounds, Confining
from dsh_tui.engine.sandbox.bubblewrap import BubblewrapBackend
from dsh_tui.engine.sandbox.landlock import LandlockBackend
from dsh_tui.engine.sandbox.seam import Backend

BACKENDS: Mapping[str, Backend] = {
    "landlock": LandlockBackend(),
    "bubblewrap": BubblewrapBackend(os.environ.get("DSH_TUI_TEST_BWRAP")),
}


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest) -> Backend:
    found = BACKENDS[request.param]
    if fault := found.fault():
        pytest.skip(fault)
    return found


@pytest.fixture
def landlock() -> Backend:
    found = BACKENDS["landlock"]
    if fault := found.fault():
        pytest.skip(fault)
    return found


@dataclass(frozen=True)
class Site:
    """A workspace ``in``, a folder ``out`` beside it with something to lose, and a home to keep."""

    root: Path

    @property
    def inside(self) -> Path:
        return self.root / "in"

    @property
    def outside(self) -> Path:
        return self.root / "out"

    @property
    def temp(self) -> Path:
        return self.root / "temp"

    def bounds(self, policy: Confining = "workspace-write") -> Bounds:
        writes = policy == "workspace-write"
        return Bounds(
            policy=policy,
            workspace=self.inside,
            writable=(self.inside, self.temp) if writes else (),
            guarded=(self.inside / ".git", self.inside / ".dsh"),
            vital=(self.root / "home",),
            hidden=(self.root / "home" / "credentials.yaml",),
            temp=self.temp if writes else None,
        )

    def run(
        self, backend: Backend, command: str, policy: Confining = "workspace-write"
    ) -> subprocess.CompletedProcess[str]:
        confined = backend.confine(("bash", "-c", command), self.bounds(policy), self.inside)
        env = {**os.environ, "IN": str(self.inside), "OUT": str(self.outside), "TMPDIR": str(self.temp)}
        return subprocess.run(
            confined.argv,
            cwd=self.inside,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )

    def state_outside(self) -> dict[str, bytes | None]:
        """Every name outside, and what is in it."""
        found = sorted(self.outside.rglob("*"))
        return {str(path): path.read_bytes() if path.is_file() else None for path in found}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path.resolve())
    for folder in ("in/.git/hooks", "in/sub", "out/folder", "temp", "home"):
        (made.root / folder).mkdir(parents=True)
    (made.inside / ".git" / "config").write_text("[core]\n")
    (made.inside / "mine").write_text("mine\n")
    (made.outside / "kept").write_text("kept\n")
    (made.root / "home" / "credentials.yaml").write_text("deepseek: sk-secret\n")
    return made
