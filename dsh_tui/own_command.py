"""A command of the user's own (``!git status``): run by their shell, and what it printed.

It is theirs: nobody approves it, and the model sees of it what they send. Credentials are not in its
environment, its output has a bound, and nothing that it started in its group outlives it: whoever
wants that starts it with ``setsid``.
Source: UX spec §1d (`!`).
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.shell.processes import group_runs, signal_group, signal_name
from dsh_tui.external_editor import without_secrets
from dsh_tui.widgets.paste import clean

MOST: Final = 200_000
"""Bytes of output that are kept: the first half and the last."""
LAST_WORDS_S: Final = 0.2
"""Seconds in which the output may end once the shell has; who holds it longer stays in the background."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What came of it: output as text without controls, and in the middle what is said of the rest."""

    command: str
    output: str
    status: int
    left_out: int = 0
    """Bytes in the middle that were not kept."""
    ended_more: bool = False
    """Whether something ran on in the background and was ended."""

    @property
    def ended(self) -> str:
        """How it ended; nothing if well."""
        return signal_name(-self.status) if self.status < 0 else f"exit {self.status}" if self.status else ""

    @property
    def as_prompt(self) -> str:
        """As it is told in a draft; a fence longer than any in the output keeps it apart."""
        ended = f", {self.ended}" if self.ended else ""
        fence = "```"
        while fence in self.output:
            fence += "`"
        return f"I ran `{self.command}`{ended}:\n{fence}\n{self.output.rstrip()}\n{fence}\n"


class _Running(asyncio.SubprocessProtocol):
    """Keeps both ends of what is printed, and knows when the shell has ended, and when its output has."""

    def __init__(self) -> None:
        self.ended, self.silent = asyncio.Event(), asyncio.Event()
        self._first, self._last, self._total = bytearray(), bytearray(), 0

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        del fd
        self._total += len(data)
        room = MOST // 2 - len(self._first)
        self._first += data[:room]
        self._last += data[max(0, room) :]
        del self._last[: -MOST // 2]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        del fd, exc
        self.silent.set()

    def process_exited(self) -> None:
        self.ended.set()

    @property
    def left_out(self) -> int:
        return self._total - len(self._first) - len(self._last)

    @property
    def text(self) -> str:
        gap = f"\n… {self.left_out:,} bytes left out …\n" if self.left_out else ""
        return clean(self._first.decode("utf-8", "replace") + gap + self._last.decode("utf-8", "replace"))


async def run_own(command: str, cwd: Path, environment: Mapping[str, str]) -> OwnResult:
    """Run it until its shell ends; a cancel ends it at once.

    Raises:
        OSError: the directory or the shell can't be used.
    """
    loop = asyncio.get_running_loop()
    starting = loop.create_task(
        loop.subprocess_exec(
            _Running,
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
    )
    more, left = True, False
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        left = True  # a start that is cut short would end the shell alone, and not its children
        await asyncio.wait({starting})
    transport, running = starting.result()
    group = transport.get_pid()
    try:
        if left:
            raise asyncio.CancelledError
        await running.ended.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(running.silent.wait(), LAST_WORDS_S)
        more = group_runs(group)
    finally:
        if more:
            signal_group(group, signal.SIGKILL)
        await running.ended.wait()
        transport.close()
    status = transport.get_returncode()
    assert status is not None
    return OwnResult(command, running.text, status, running.left_out, more)
