"""A started command as the event loop sees it; the work is done by a thread of its own.

The thread owns the process from fork to reaping, so that a task that is lost on our side never
leaves a process behind. Source: capabilities B2.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from dsh_tui.engine.shell.lifeline import Lifeline
from dsh_tui.engine.shell.processes import signal_group
from dsh_tui.engine.shell.seam import OnLine, ShellResult, StreamOutput
from dsh_tui.engine.shell.supervision import Supervision, Terms
from dsh_tui.engine.shell.tail import StreamTail

T = TypeVar("T")


class RunningCommand:
    """A command from its fork to its end."""

    def __init__(
        self,
        terms: Terms,
        out: StreamTail,
        err: StreamTail,
        on_line: OnLine | None,
        judge: Callable[[ShellResult], ShellResult] | None = None,
        lifeline: Lifeline | None = None,
    ) -> None:
        """``judge`` has the last word on the result; it runs in the thread and must not raise."""
        self._lifeline = lifeline
        self._judge = judge
        self._terms = terms
        self._out, self._err = out, err
        self._on_line = on_line
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[ShellResult] = self._loop.create_future()
        self._stop_early = False
        self._supervision: Supervision | None = None
        self._group: int | None = None

    async def start(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], on_end: Callable[[], object]
    ) -> None:
        """Fork. ``on_end`` is called from the thread when nothing of the command runs any more.

        Raises:
            OSError, ValueError: as `subprocess.Popen` does; ``on_end`` was called.
        """
        thread = threading.Thread(
            target=self._live, args=(argv, cwd, env, on_end), name="dsh-shell", daemon=True
        )
        thread.start()
        try:
            await asyncio.shield(self._started)
        except asyncio.CancelledError:
            self.stop()
            raise

    @property
    def result(self) -> ShellResult | None:
        ended = self._ended.done() and not self._ended.cancelled() and self._ended.exception() is None
        return self._ended.result() if ended else None

    def stop(self) -> None:
        self._stop_early = True
        if self._supervision is not None:
            self._supervision.stop()

    async def wait(self) -> ShellResult:
        return await asyncio.shield(self._ended)

    def read_new(self) -> tuple[StreamOutput, StreamOutput]:
        return self._out.read_new(), self._err.read_new()

    def kill_now(self) -> None:
        """The interpreter ends: there is no time for a grace."""
        if self._group is not None:
            signal_group(self._group, signal.SIGKILL)

    def _live(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], on_end: Callable[[], object]
    ) -> None:
        try:
            try:
                process = subprocess.Popen(  # noqa: S603  # running the agent's commands is the purpose
                    argv,
                    bufsize=0,
                    cwd=cwd,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                self._later(self._fail, self._started, error)
                self._later(self._ended.cancel)  # whoever waits for its end waits for nothing
                return
            self._group = process.pid
            if self._lifeline is not None:
                self._lifeline.watch(process.pid)
            self._supervise(process)
        finally:
            if self._lifeline is not None and self._group is not None:
                self._lifeline.forget(self._group)
            self._group = None
            on_end()

    def _supervise(self, process: subprocess.Popen[bytes]) -> None:
        try:
            on_line = None if self._on_line is None else self._report
            self._supervision = Supervision(process, self._terms, self._out, self._err, on_line)
            if self._stop_early:
                self._supervision.stop()
            self._later(self._settle, self._started, None)
            result = self._supervision.run()
            if self._judge is not None:
                result = self._judge(result)
        except BaseException as error:  # noqa: BLE001  # whatever it is belongs to whoever waits
            signal_group(process.pid, signal.SIGKILL)
            process.communicate()
            self._later(self._fail, self._started, error)
            self._later(self._fail, self._ended, error)
        else:
            self._later(self._settle, self._ended, result)

    def _report(self, line: str) -> None:
        assert self._on_line is not None
        self._later(self._on_line, line)

    def _later(self, function: Callable[..., object], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(function, *args)

    @staticmethod
    def _settle(future: asyncio.Future[T], value: T) -> None:
        if not future.done():
            future.set_result(value)

    @staticmethod
    def _fail(future: asyncio.Future[T], error: BaseException) -> None:
        if not future.done():
            future.set_exception(error)
