"""A command of the user's own (``!git status``): run by their shell, and what it printed.

It is theirs: nobody approves it, and the model sees of it what they send. Credentials are not in its
environment, its output has a bound, and whoever gives it up ends it with all its children.
Source: UX spec §1d (`!`).
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.external_editor import without_secrets

MOST: Final = 200_000
"""Bytes of output that are kept: the first half and the last."""
_READ: Final = 65_536


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What came of it. ``left_out`` counts bytes in the middle that were not kept."""

    command: str
    output: str
    status: int
    left_out: int = 0

    @property
    def as_prompt(self) -> str:
        """As it is told in a draft; a fence longer than any in the output keeps it apart."""
        ended = f", exit {self.status}" if self.status else ""
        fence = "```"
        while fence in self.output:
            fence += "`"
        return f"I ran `{self.command}`{ended}:\n{fence}\n{self.output.rstrip()}\n{fence}\n"


async def run_own(command: str, cwd: Path, environment: Mapping[str, str]) -> OwnResult:
    """Run it to its end; a cancel ends it at once.

    Raises:
        OSError: the directory or the shell can't be used.
    """
    process = await asyncio.create_subprocess_exec(
        environment.get("SHELL") or "/bin/sh",
        "-c",
        command,
        cwd=cwd,
        env=without_secrets(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    first, last, total = bytearray(), bytearray(), 0
    try:
        while data := await process.stdout.read(_READ):
            total += len(data)
            room = MOST // 2 - len(first)
            first += data[:room]
            last += data[max(0, room) :]
            del last[: -MOST // 2]
        status = await process.wait()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    left_out = total - len(first) - len(last)
    gap = f"\n… {left_out:,} bytes left out …\n" if left_out else ""
    text = first.decode("utf-8", "replace") + gap + last.decode("utf-8", "replace")
    return OwnResult(command, text, status, left_out)
