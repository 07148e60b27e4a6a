"""Write-behind: a growing log is written a fixed moment after its first unwritten event.

There is no queue: the log is the queue and ``written`` is a cursor, so a failed write keeps
its batch, in order, by not moving the cursor. One write runs at a time. The window is fixed,
not a debounce. After a failure nothing is retried by itself until the next event or flush.
Source: core spec §4.2.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sized

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.persistence.errors import PersistenceError, WriteFailedError

Write = Callable[[int, int], Awaitable[None]]
"""Make the events with ``start <= seq < stop`` durable, or raise and have written none of them."""

_log = logging.getLogger(__name__)


class WriteBehind:
    """Keeps one log written. ``written`` events are durable, always a prefix."""

    def __init__(
        self,
        log: Sized,
        write: Write,
        *,
        clock: Clock,
        window: float,
        written: int = 0,
        on_state: Callable[[PersistenceError | None], None] = lambda _error: None,
    ) -> None:
        """``window`` in seconds. ``on_state`` hears when writes begin to fail, and when they work again."""
        self._log, self._write = log, write
        self._clock, self._window = clock, window
        self._on_state = on_state
        self.written = written
        self.error: PersistenceError | None = None
        """Why the last write failed; None while writes work."""
        self._timer: asyncio.Task[None] | None = None
        self._writing: asyncio.Task[None] | None = None
        self._barrier: asyncio.Task[None] | None = None
        self._target = 0

    @property
    def behind(self) -> int:
        """How many events are not durable yet."""
        return len(self._log) - self.written

    def touch(self) -> None:
        """An event was committed: open a window unless one is open."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().create_task(self._after_window())

    async def flush(self) -> None:
        """Everything committed so far is durable when this returns. Concurrent calls share the work.

        Raises:
            PersistenceError: it is not. The events are kept; the next event or flush tries again.
        """
        self._target = len(self._log)
        if self._barrier is None:
            if self.written >= self._target and self._writing is None:
                return
            self._barrier = asyncio.get_running_loop().create_task(self._drain())
        # Shielded: a cancelled caller must not cut a write that others wait for.
        await asyncio.shield(self._barrier)

    async def close(self) -> None:
        """Drain and stop. A second call changes nothing.

        Raises:
            PersistenceError: the last events could not be written.
        """
        try:
            await self.flush()
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Write nothing more by itself."""
        await self._stop_timer()

    async def _after_window(self) -> None:
        await self._clock.sleep(self._window)
        self._timer = None
        if self._barrier is None:
            await self._write_once()

    async def _drain(self) -> None:
        await self._stop_timer()
        try:
            if self._writing is not None:
                await self._write_once()
            while self.written < self._target:
                await self._write_once()
                if self.error is not None:
                    raise self.error
        finally:
            self._barrier = None
            if self.error is None and self.behind:
                self.touch()

    async def _write_once(self) -> None:
        """Join the running write or run one; a failure is kept in ``error``."""
        if self._writing is None:
            if not self.behind:
                return
            self._writing = asyncio.get_running_loop().create_task(self._write_batch())
        await asyncio.shield(self._writing)

    async def _write_batch(self) -> None:
        stop, failed_before = len(self._log), self.error is not None
        try:
            await self._write(self.written, stop)
        except Exception as error:  # noqa: BLE001  # a fault of ours must not pass for a log that is written
            self.error = _as_failure(error)
            if not failed_before:
                self._on_state(self.error)
        else:
            self.written, self.error = stop, None
            if failed_before:
                self._on_state(None)
        finally:
            self._writing = None

    async def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
            await asyncio.gather(timer, return_exceptions=True)


def _as_failure(error: Exception) -> PersistenceError:
    if isinstance(error, PersistenceError):
        return error
    _log.error("a log was not written", exc_info=error)
    failure = WriteFailedError(
        f"the session is not saved: {type(error).__name__}: {error}; the next event tries again"
    )
    failure.__cause__ = error
    return failure
