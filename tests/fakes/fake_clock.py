"""A clock that stands still until a test advances it."""

from __future__ import annotations

import asyncio
import heapq
import itertools

_TURNS = 20  # loop turns that whoever wakes gets, to run and to sleep again


class FakeClock:
    """Sleepers wake in the order of their deadlines; equal deadlines in the order of sleeping."""

    def __init__(self, now_ms: int = 1_760_000_000_000) -> None:
        self._start_ms = now_ms
        self._elapsed = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now_ms(self) -> int:
        return self._start_ms + round(self._elapsed * 1000)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        wake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), wake))
        await wake

    async def advance(self, seconds: float) -> None:
        """Let time pass: each sleeper wakes at its own moment and runs before the next one does."""
        end = self._elapsed + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            deadline, _, wake = heapq.heappop(self._sleepers)
            if wake.done():
                continue
            self._elapsed = max(self._elapsed, deadline)
            wake.set_result(None)
            await self.settle()
        self._elapsed = end

    def jump(self, seconds: float) -> None:
        """The wall clock alone moves, as in a suspend or when somebody sets it."""
        self._start_ms += round(seconds * 1000)

    async def settle(self) -> None:
        """Let everything that can run do so, without time passing."""
        for _ in range(_TURNS):
            await asyncio.sleep(0)

    @property
    def sleepers(self) -> int:
        """How many are asleep."""
        return sum(not wake.done() for _, _, wake in self._sleepers)
