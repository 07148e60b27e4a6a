"""The fake clock keeps time as a real one would, only when told to."""

from __future__ import annotations

import asyncio

from dsh_tui.engine.base.clock import Clock
from tests.fakes.fake_clock import FakeClock


async def test_sleepers_wake_in_order_each_at_its_own_moment(clock: FakeClock) -> None:
    log: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float, times: int = 1) -> None:
        for _ in range(times):
            await clock.sleep(seconds)
            log.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as tasks:
        for name, seconds, times in (("late", 3.0, 1), ("often", 1.0, 3), ("same", 3.0, 1)):
            tasks.create_task(sleeper(name, seconds, times))
        await clock.advance(2.5)
        assert log == [("often", 1.0), ("often", 2.0)]
        await clock.advance(0.5)
    assert log[2:] == [("late", 3.0), ("same", 3.0), ("often", 3.0)]
    assert clock.sleepers == 0


async def test_time_stands_still_and_a_cancelled_sleeper_is_forgotten(clock: FakeClock) -> None:
    as_clock: Clock = clock
    before = as_clock.now_ms()
    sleeper = asyncio.create_task(clock.sleep(1))
    await as_clock.sleep(0)
    assert clock.sleepers == 1
    sleeper.cancel()
    await asyncio.gather(sleeper, return_exceptions=True)
    assert clock.sleepers == 0
    await clock.advance(1.5)
    assert (as_clock.now_ms() - before, as_clock.monotonic()) == (1500, 1.5)
