"""What is measured: the app and its floor, each with the keys and words that drive it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.terminal import Terminal

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A chat that can be started again and again in a folder of its own."""

    name: str
    command: tuple[str, ...]
    home: Path
    port: int
    ready: str
    """On the screen once a prompt can be written."""
    leave: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Where it works: a small repository."""
        return self.home / "work"

    def start(self, *arguments: str) -> Terminal:
        """Run it."""
        return Terminal(
            (*self.command, *arguments), env=self.environment(), cwd=self.folder, leave=self.leave
        )

    def environment(self) -> dict[str, str]:
        """Nothing of the caller's but where programs are."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "DSH_TUI_HOME": str(self.home / "dsh-tui"),
            "DSH_HOME": str(self.home / "none"),
            "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{self.port}",
            "DEEPSEEK_API_KEY": "sk-bench-0000000000000000",
        }


def ours(home: Path, port: int) -> Program:
    """The product, as it is installed."""
    return _made(
        Program(
            name="ours",
            command=(str(Path(sys.executable).with_name("dsh-tui")),),
            home=home / "ours",
            port=port,
            ready="Ask about",
            leave=("\x11",),
        )
    )


def floor(home: Path, port: int) -> Program:
    """See `floor`."""
    script = str(Path(__file__).with_name("floor.py"))
    return _made(
        Program(
            name="floor",
            command=(sys.executable, script, "--port", str(port)),
            home=home / "floor",
            port=port,
            ready="Ask the floor",
            leave=("\x11",),
        )
    )


def _made(program: Program) -> Program:
    program.folder.mkdir(parents=True)
    (program.folder / "README.md").write_text("# A repository\n", encoding="utf-8")
    for arguments in (("init", "-q"), ("add", "-A")):
        _git(program.folder, arguments)
    return program


def _git(folder: Path, arguments: Sequence[str]) -> None:
    subprocess.run(("git", *arguments), cwd=folder, check=True, capture_output=True)
