"""The read guard: silence and cancel end a wait; time between waits does not count."""

from __future__ import annotations

import asyncio

import pytest

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.llm.deepseek.read_guard import ReadGuard
from dsh_tui.engine.llm.errors import LlmError
from tests.fakes.fake_clock import FakeClock


async def reads(guard: ReadGuard, *gates: asyncio.Event) -> str:
    async with guard:
        for gate in gates:
            await guard.read(gate.wait)
    return "all read"


async def test_every_read_that_brings_something_starts_the_time_anew(clock: FakeClock) -> None:
    gates = [asyncio.Event() for _ in range(5)]
    reading = asyncio.create_task(reads(ReadGuard(CancelSignal(), clock, 300), *gates))
    for gate in gates:
        await clock.advance(299)
        gate.set()
        await clock.settle()
    assert await reading == "all read"


async def test_a_read_that_brings_nothing_times_out_exactly_at_the_limit(clock: FakeClock) -> None:
    reading = asyncio.create_task(reads(ReadGuard(CancelSignal(), clock, 3), asyncio.Event()))
    await clock.advance(2.9)
    assert not reading.done()
    await clock.advance(0.1)
    with pytest.raises(LlmError, match="no data for 3 s"):
        await reading
    assert clock.sleepers == 0


async def test_time_between_reads_does_not_count(clock: FakeClock) -> None:
    opened = asyncio.Event()
    opened.set()
    async with ReadGuard(CancelSignal(), clock, 3) as guard:
        for _ in range(3):
            await guard.read(opened.wait)
            await clock.advance(100)


async def test_a_cancel_stops_the_wait_and_leaves_the_task_alive(clock: FakeClock) -> None:
    signal = CancelSignal()

    async def stopped() -> str:
        try:
            return await reads(ReadGuard(signal, clock, 300), asyncio.Event())
        except Cancelled as error:
            await asyncio.sleep(0)
            return f"{error.message} {error.cause}"

    reading = asyncio.create_task(stopped())
    await clock.settle()
    signal.cancel("enough", {"kind": "user"})
    assert await reading == "enough {'kind': 'user'}"
    assert reading.cancelling() == 0


async def test_somebody_elses_cancel_is_not_swallowed(clock: FakeClock) -> None:
    signal = CancelSignal()
    reading = asyncio.create_task(reads(ReadGuard(signal, clock, 300), asyncio.Event()))
    await clock.settle()
    signal.cancel()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_a_fault_of_the_work_is_raised_as_it_is(clock: FakeClock) -> None:
    async def broken() -> None:
        raise OSError("gone")

    async with ReadGuard(CancelSignal(), clock, 3) as guard:
        with pytest.raises(OSError, match="gone"):
            await guard.read(broken)
