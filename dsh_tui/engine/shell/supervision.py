"""Watching one process to its end: reads its pipes, keeps its deadline, leaves nothing behind.

Plain blocking code for a thread of its own, so that a flood of output never delays the event
loop. Stopping: SIGTERM to the group, the grace, SIGKILL. A shell that has ended waits `SETTLE`
for the rest of its pipeline; what runs then is stopped too. Source: capabilities B2.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from dsh_tui.engine.shell.processes import group_runs, marked, signal_each, signal_group, signal_name
from dsh_tui.engine.shell.seam import Leftovers, ShellResult
from dsh_tui.engine.shell.tail import StreamTail

SETTLE: Final = 0.5
"""Seconds for the rest of a pipeline, once the shell itself is gone."""
_TICK: Final = 0.05
"""Seconds between looks at processes that can't be waited for."""
_FIRST_TICK: Final = 0.002
_READ: Final = 65_536
_PROGRESS: Final = 0.25
"""Seconds between two progress lines."""
_UNKILLABLE: Final = 2.0
"""Seconds after SIGKILL before a process that is stuck in the kernel is given up."""

StopReason = Literal["cancelled", "timeout", "leftover"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a command is held to."""

    timeout_ms: int | None
    grace: float
    """Seconds between SIGTERM and SIGKILL."""
    mark: str
    """Finds processes that left the group; see `processes`."""


class Supervision:
    """One process, from its start to the moment nothing of it runs. `run` blocks; `stop` is thread-safe."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        terms: Terms,
        out: StreamTail,
        err: StreamTail,
        on_line: Callable[[str], None] | None,
    ) -> None:
        self._process = process
        self._terms = terms
        self._out, self._err = out, err
        self._on_line = on_line
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        self._lock = threading.Lock()
        self._closed = False
        self._asked: StopReason | None = None
        self._reason: StopReason | None = None
        self._stopped_at = self._killed_at = 0.0
        self._exited_at: float | None = None
        self._gone_at: float | None = None
        self._open_pipes = 0
        self._fresh: StreamTail | None = None
        self._next_line = 0.0

    def stop(self, reason: StopReason = "cancelled") -> None:
        """Ask `run` to end the process. Only the first reason counts."""
        with self._lock:
            if self._asked is None and not self._closed:
                self._asked = reason
                os.write(self._wake_write, b"!")

    def run(self) -> ShellResult:
        """Return when the process, and all it left in its group, is over."""
        started = time.monotonic()
        deadline = None if self._terms.timeout_ms is None else started + self._terms.timeout_ms / 1000
        pidfd = self._watch()
        try:
            leftovers = self._watch_to_the_end(deadline)
        finally:
            self._close(pidfd)
        code = self._process.poll()
        return ShellResult(
            exit_code=code if code is not None and code >= 0 else None,
            signal=signal_name(-code) if code is not None and code < 0 else None,
            timed_out=self._reason == "timeout",
            aborted=self._reason == "cancelled",
            timeout_ms=self._terms.timeout_ms,
            duration_ms=round((time.monotonic() - started) * 1000),
            stdout=self._out.output(),
            stderr=self._err.output(),
            leftovers=leftovers,
        )

    def _watch(self) -> int | None:
        for pipe, tail in ((self._process.stdout, self._out), (self._process.stderr, self._err)):
            assert pipe is not None
            self._selector.register(pipe, selectors.EVENT_READ, tail)
            self._open_pipes += 1
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        try:
            pidfd = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # not Linux, or forbidden: the loop ticks instead
            return None
        self._selector.register(pidfd, selectors.EVENT_READ)
        return pidfd

    def _watch_to_the_end(self, deadline: float | None) -> Leftovers:
        ticking = len(self._selector.get_map()) < 4  # without a descriptor of the process
        while True:
            self._read(self._patience(deadline, ticking=ticking))
            now = time.monotonic()
            if self._exited_at is None and self._process.poll() is not None:
                self._exited_at = now
            if self._asked is not None:
                self._begin_stop(self._asked, now)
            elif deadline is not None and now >= deadline and self._exited_at is None:
                self._begin_stop("timeout", now)
            if self._reason is not None:
                self._insist(now)
            if self._exited_at is None:
                if self._killed_at and now >= self._killed_at + _UNKILLABLE:
                    return "detached"
                continue
            verdict = self._verdict(now, self._exited_at)
            if verdict is not None:
                return verdict

    def _patience(self, deadline: float | None, *, ticking: bool) -> float | None:
        if self._reason is not None:
            return _TICK
        if self._exited_at is not None:  # what is about to end is not waited for a whole tick
            return min(_TICK, max(_FIRST_TICK, time.monotonic() - self._exited_at))
        moments = [] if deadline is None else [deadline]
        if self._fresh is not None:
            moments.append(self._next_line)
        wait = max(0.0, min(moments) - time.monotonic()) if moments else None
        return min(wait if wait is not None else _TICK, _TICK) if ticking else wait

    def _read(self, patience: float | None) -> None:
        for key, _ in self._selector.select(patience):
            if isinstance(key.data, StreamTail):
                data = os.read(key.fd, _READ)
                if data:
                    key.data.feed(data)
                    self._fresh = key.data
                else:
                    self._selector.unregister(key.fileobj)
                    self._open_pipes -= 1
            elif key.fd != self._wake_read:
                self._selector.unregister(key.fileobj)  # the process is over; poll() says how
            else:
                os.read(key.fd, 1)
        if self._on_line is not None and self._fresh is not None and time.monotonic() >= self._next_line:
            self._on_line(self._fresh.last_line())
            self._fresh, self._next_line = None, time.monotonic() + _PROGRESS

    def _begin_stop(self, reason: StopReason, now: float) -> None:
        if self._reason is None or (self._reason == "leftover" and reason == "cancelled"):
            if self._reason is None:
                self._stopped_at = now
            self._reason = reason
            signal_group(self._process.pid, signal.SIGTERM)
            signal_each(self._strays(), signal.SIGTERM)

    def _insist(self, now: float) -> None:
        if not self._killed_at and now >= self._stopped_at + self._terms.grace:
            self._killed_at = now
            signal_group(self._process.pid, signal.SIGKILL)
            signal_each(self._strays(), signal.SIGKILL)

    def _strays(self) -> list[int]:
        """Processes that left the group; they are let be unless the command is being stopped."""
        return [] if self._reason == "leftover" else marked(self._terms.mark)

    def _verdict(self, now: float, exited_at: float) -> Leftovers | None:
        """None while something still has to end. The shell itself has."""
        hard = self._reason in ("cancelled", "timeout")
        if group_runs(self._process.pid) or (hard and marked(self._terms.mark)):
            self._gone_at = None
            if self._killed_at and now >= self._killed_at + _UNKILLABLE:
                return "detached"
            if self._reason is None and now >= exited_at + SETTLE:
                self._begin_stop("leftover", now)
            return None
        left: Leftovers = "stopped" if self._reason == "leftover" else "none"
        if self._open_pipes == 0:
            return left
        if self._gone_at is None:
            self._gone_at = now
        return "detached" if now >= self._gone_at + SETTLE else None

    def _close(self, pidfd: int | None) -> None:
        self._selector.close()
        if pidfd is not None:
            os.close(pidfd)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        with self._lock:
            self._closed = True
            os.close(self._wake_read)
            os.close(self._wake_write)
        self._out.finish()
        self._err.finish()
