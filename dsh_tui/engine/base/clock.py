"""Clocks. Everything that waits or stamps time takes one, so that tests own time.

Wall time is epoch milliseconds as an int (it goes into logs); monotonic time is
seconds as a float (it measures waits and survives clock jumps).
"""

from __future__ import annotations

import asyncio
import time
from typing import Final, Protocol

LAST_MS: Final = 250_000_000_000_000
"""In the year 9892. Calendars end soon after it; what claims to be later was told by no clock."""


class Clock(Protocol):
    """Wall time, monotonic time and waiting, as one replaceable thing."""

    def now_ms(self) -> int: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def is_time(ms: int) -> bool:
    """Whether a clock may have told it, so that a calendar can tell its day."""
    return 0 <= ms <= LAST_MS


SYSTEM_CLOCK = SystemClock()
