"""Commands on this machine. Published as service ``bash``.

Each call is a fresh, non-login ``bash -c`` in a session and process group of its own, with
nothing on stdin. What still runs when the plugin goes is stopped, when the interpreter goes,
killed, and when that is killed itself, ended by the `Lifeline`. Source: capabilities B2; design §3.13.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.sandbox.seam import Confined, SandboxUnavailableError
from dsh_tui.engine.sandbox.service import Sandbox
from dsh_tui.engine.shell.confinement import judged
from dsh_tui.engine.shell.environment import child_environment
from dsh_tui.engine.shell.lifeline import Lifeline
from dsh_tui.engine.shell.processes import MARK
from dsh_tui.engine.shell.running import RunningCommand
from dsh_tui.engine.shell.seam import OnLine, ShellError, ShellRequest, ShellResult
from dsh_tui.engine.shell.supervision import Terms
from dsh_tui.engine.shell.tail import StreamTail
from dsh_tui.engine.spill.store import SpillFile, SpillStore

GRACE: Final = 3.0
"""Seconds."""


class LocalShell:
    """Runs commands with bash, in the environment that `child_environment` allows."""

    def __init__(
        self,
        spill: SpillStore,
        *,
        environ: Mapping[str, str] | None = None,
        also: Iterable[str] = (),
        secret_values: Callable[[], Iterable[str]] = tuple,
        grace: float = GRACE,
        sandbox: Sandbox | None = None,
    ) -> None:
        self._spill = spill
        self._environ = os.environ if environ is None else environ
        self._also = tuple(also)
        self._secret_values = secret_values
        self._grace = grace
        self._sandbox = sandbox
        self._running: set[RunningCommand] = set()
        self._lifeline = Lifeline(self._bash(self._environ), grace=grace)
        atexit.register(self._kill_all)

    async def run(
        self, request: ShellRequest, signal: CancelSignal, on_line: OnLine | None = None
    ) -> ShellResult:
        signal.check()
        command = await self._start(request, on_line)
        undo = signal.on_cancel(command.stop)
        try:
            result = await command.wait()
        except asyncio.CancelledError:
            command.stop()
            raise
        finally:
            undo()
        if result.sandbox is not None and result.sandbox.failure:
            raise SandboxUnavailableError(
                f"The sandbox failed, so the command did not run: {result.sandbox.failure}"
            )
        return result

    async def start(self, request: ShellRequest) -> RunningCommand:
        return await self._start(request, None)

    async def close(self) -> None:
        """Stop what runs and wait for it."""
        commands = list(self._running)
        for command in commands:
            command.stop()
        await asyncio.gather(*(command.wait() for command in commands), return_exceptions=True)
        await asyncio.to_thread(self._lifeline.close)
        atexit.unregister(self._kill_all)  # not before: who does not wait must still leave none behind

    async def _start(self, request: ShellRequest, on_line: OnLine | None) -> RunningCommand:
        await asyncio.to_thread(_check_directory, request.cwd)
        mark = secrets.token_hex(8)
        env = child_environment(
            self._environ, request.session_id, also=self._also, secrets=self._secret_values()
        )
        argv: tuple[str, ...] = (self._bash(env), "-c", request.command)
        judge = None
        if request.bounds is not None:
            confined = await self._confine(argv, request.bounds, request.cwd)
            argv, env = confined.argv, {**env, **confined.environment}
            judge = partial(judged, confined, request.bounds)
        out, err = self._tail(request, "stdout"), self._tail(request, "stderr")
        terms = Terms(timeout_ms=request.timeout_ms, grace=self._grace, mark=mark)
        command = RunningCommand(terms, out, err, on_line, judge, self._lifeline)
        self._running.add(command)
        try:
            await command.start(
                argv, request.cwd, {**env, MARK: mark}, lambda: self._running.discard(command)
            )
        except (OSError, ValueError) as error:
            await asyncio.to_thread(_check_directory, request.cwd)
            raise ShellError(f"The command could not be started with {argv[0]}: {error}.") from error
        return command

    @staticmethod
    def _bash(env: Mapping[str, str]) -> str:
        return shutil.which("bash", path=env.get("PATH", os.defpath)) or "/bin/bash"

    async def _confine(self, argv: tuple[str, ...], bounds: Bounds, cwd: Path) -> Confined:
        if self._sandbox is None:
            raise SandboxUnavailableError("Nothing here confines commands, so the command did not run.")
        return await asyncio.to_thread(self._sandbox.confine, argv, bounds, cwd)

    def _tail(self, request: ShellRequest, stream: str) -> StreamTail:
        def open_spill() -> SpillFile | None:
            return self._spill.open(request.session_id, f"{request.label}-{stream}")

        return StreamTail(open_spill)

    def _kill_all(self) -> None:
        for command in list(self._running):
            command.kill_now()


def _check_directory(cwd: Path) -> None:
    if not cwd.is_dir():
        state = "is not a directory" if cwd.exists() else "does not exist (removed or renamed?)"
        raise ShellError(
            f"The working directory {str(cwd)!r} {state}, so the command did not run. "
            "Pass a `workdir` that exists, or create the directory again.",
            code="SHELL_NO_DIRECTORY",
        )
