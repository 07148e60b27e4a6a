"""Read guard: bounds each wait for the network by silence and by the caller's signal.

Only time spent waiting counts, so a slow consumer never times out; every read that brings bytes,
comments too, starts the time anew. One task a request watches the clock, none a read; a trip cancels
the task that waits, which is how httpx closes its connection at once. Source: capabilities A3 (idle).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.llm.deepseek.failures import idle_error

T = TypeVar("T")


class ReadGuard:
    """Use as a context around one exchange, and `read` for each wait in it."""

    def __init__(self, signal: CancelSignal, clock: Clock, idle_s: float) -> None:
        self._idle_s = idle_s
        self._signal = signal
        self._clock = clock
        self._reading: asyncio.Task[Any] | None = None  # Any: whatever the reader's task returns
        self._since = 0.0
        self._tripped: HarnessError | None = None

    async def __aenter__(self) -> Self:
        self._start_watch()
        self._forget = self._signal.on_cancel(self._on_cancel)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._forget()
        self._watch.cancel()

    async def read(self, work: Callable[[], Awaitable[T]]) -> T:
        """Await ``work()``.

        Raises:
            Cancelled: the signal fired, before or meanwhile.
            LlmError: ``TIMEOUT``, nothing came in time.
        """
        self._signal.check()
        task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        self._since = self._clock.monotonic()
        self._reading = task
        try:
            result = await work()
        except BaseException as error:  # raised again unless it is our own cancel
            if self._tripped is None:
                raise
            # As in asyncio.timeout: take back our own cancel, but let somebody else's through.
            if task.uncancel() > cancelling and isinstance(error, asyncio.CancelledError):
                raise
            raise self._tripped from None
        finally:
            self._reading = None
        if self._tripped is not None:  # the cancel was swallowed on its way
            task.uncancel()
            raise self._tripped
        return result

    def tighten(self, idle_s: float) -> None:
        """From now on wait for less time."""
        if idle_s < self._idle_s:
            self._idle_s = idle_s
            self._watch.cancel()
            self._start_watch()

    def _start_watch(self) -> None:
        self._watch = asyncio.create_task(self._watch_silence(), name="llm-idle-timer")

    def _on_cancel(self) -> None:
        self._trip(Cancelled(self._signal.reason, self._signal.cause))

    def _trip(self, failure: HarnessError) -> None:
        if self._reading is not None and self._tripped is None:
            self._tripped = failure
            self._reading.cancel()

    async def _watch_silence(self) -> None:
        while True:
            waited = self._clock.monotonic() - self._since if self._reading is not None else 0.0
            if waited >= self._idle_s:
                self._trip(idle_error(self._idle_s))
                return
            await self._clock.sleep(self._idle_s - waited)
