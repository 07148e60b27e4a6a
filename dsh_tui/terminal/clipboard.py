"""The clipboard: OSC 52 for the terminal, and the platform's own command where there is one.

The report says what truly happened: a command that ended well has copied; OSC 52 was only sent,
since no terminal tells whether it obeyed. Children get no more of the environment than they need.
Source: design §3 row 19; UX spec §2 C.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

TIMEOUT: Final = 2.0
"""Seconds after which a clipboard command counts as failed."""
_DISPLAYS: Final = ("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "TMUX")
_KEPT: Final = ("PATH", "HOME", "LANG", "TERM", "TMPDIR", *_DISPLAYS)


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of a copy."""

    characters: int
    command: str
    """The command that took it, or empty."""
    sent_to_terminal: bool

    def __str__(self) -> str:
        size = f"{self.characters:,} character{'s' if self.characters != 1 else ''}"
        if self.command:
            return f"Copied {size} with {self.command}"
        if self.sent_to_terminal:
            return f"Sent {size} to the terminal's clipboard; if it refuses OSC 52, select with shift+drag"
        return f"Not copied: no clipboard command here, and {size} are too many for the terminal"


def commands(environment: Mapping[str, str], platform: str = sys.platform) -> list[list[str]]:
    """The clipboard commands that fit this environment, best first."""
    fitting: list[list[str]] = []
    if platform == "darwin":
        fitting.append(["pbcopy"])
    if environment.get("WAYLAND_DISPLAY"):
        fitting.append(["wl-copy"])
    if environment.get("DISPLAY"):
        fitting += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if environment.get("TMUX"):
        fitting.append(["tmux", "load-buffer", "-w", "-"])
    return fitting


MOST_FOR_TERMINAL: Final = 74_000
"""Characters beyond which common terminals drop an OSC 52 sequence silently."""


async def copy(
    text: str,
    write_osc52: Callable[[str], None],
    environment: Mapping[str, str] | None = None,
) -> Copied:
    """Copy by every way there is, and tell which took it."""
    environment = os.environ if environment is None else environment
    sent = len(text) <= MOST_FOR_TERMINAL
    if sent:
        write_osc52(text)
    kept = {name: environment[name] for name in _KEPT if name in environment}
    for command in commands(environment):
        found = shutil.which(command[0], path=environment.get("PATH"))
        if found and await _feed([found, *command[1:]], text, kept):
            return Copied(len(text), command[0], sent)
    return Copied(len(text), "", sent)


async def _feed(command: list[str], text: str, environment: Mapping[str, str]) -> bool:
    """Whether the command took the text and ended well."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,  # xclip stays behind and would hold a pipe open
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(text.encode("utf-8", "replace")), TIMEOUT)
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    return process.returncode == 0
