from __future__ import annotations

import asyncio

import pytest

from dsh_tui.engine.persistence.errors import PersistenceError, WriteFailedError
from dsh_tui.engine.persistence.write_behind import WriteBehind
from tests.fakes.fake_clock import FakeClock


class Log:
    """A log, and a place to write it to that can be held up or made to fail."""

    def __init__(self, clock: FakeClock) -> None:
        self.items: list[int] = []
        self.writes: list[tuple[int, int]] = []
        self.states: list[str | None] = []
        self.failing = 0
        self.fault: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.running = self.most_running = 0
        self.behind = WriteBehind(
            self.items,
            self.write,
            clock=clock,
            window=0.2,
            on_state=lambda error: self.states.append(text(error)),
        )

    def add(self, count: int = 1) -> None:
        for _ in range(count):
            self.items.append(len(self.items))
            self.behind.touch()

    async def write(self, start: int, stop: int) -> None:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await self.gate.wait()
        self.running -= 1
        if self.fault is not None:
            raise self.fault
        if self.failing:
            self.failing -= 1
            raise WriteFailedError("disk full")
        self.writes.append((start, stop))


def text(error: PersistenceError | None) -> str | None:
    return None if error is None else error.message


@pytest.fixture
async def log(clock: FakeClock) -> Log:
    return Log(clock)


async def test_the_window_is_fixed_from_the_first_event(log: Log, clock: FakeClock) -> None:
    log.add()
    await clock.advance(0.15)
    log.add()
    await clock.advance(0.04)
    assert log.writes == []
    await clock.advance(0.02)
    assert log.writes == [(0, 2)]
    assert clock.sleepers == 0


async def test_events_during_a_write_get_a_window_of_their_own(log: Log, clock: FakeClock) -> None:
    log.gate.clear()
    log.add()
    await clock.advance(0.2)
    log.add(2)
    await clock.advance(0.1)
    log.gate.set()
    await clock.advance(0.05)
    assert log.writes == [(0, 1)]
    await clock.advance(0.06)
    assert log.writes == [(0, 1), (1, 3)]
    assert log.most_running == 1


async def test_flush_writes_at_once_and_needs_no_event_to_do_nothing(log: Log, clock: FakeClock) -> None:
    await log.behind.flush()
    assert log.writes == []
    log.add(3)
    await log.behind.flush()
    assert (log.writes, log.behind.written, clock.sleepers) == ([(0, 3)], 3, 0)


async def test_concurrent_flushes_share_the_work(log: Log, clock: FakeClock) -> None:
    log.gate.clear()
    log.add()
    flushes = [asyncio.ensure_future(log.behind.flush()) for _ in range(5)]
    await clock.settle()
    log.add()
    late = asyncio.ensure_future(log.behind.flush())
    await clock.settle()
    log.gate.set()
    await asyncio.gather(*flushes, late)
    assert log.writes == [(0, 1), (1, 2)]
    assert log.most_running == 1


async def test_a_flush_ends_although_the_log_keeps_growing(log: Log, clock: FakeClock) -> None:
    log.items.append(0)

    async def grow(start: int, stop: int) -> None:
        log.writes.append((start, stop))
        log.add()

    behind = WriteBehind(log.items, grow, clock=clock, window=0.2)
    log.behind = behind
    await behind.flush()
    assert log.writes == [(0, 1)]
    await clock.advance(0.2)
    assert log.writes == [(0, 1), (1, 2)]
    await behind.close()


async def test_a_failed_write_keeps_its_batch_and_waits_for_the_next_event(
    log: Log, clock: FakeClock
) -> None:
    log.failing = 1
    log.add(2)
    await clock.advance(1)
    assert (log.writes, log.behind.written) == ([], 0)
    assert log.states == ["disk full"]
    await clock.advance(10)
    assert log.writes == []
    log.add()
    await clock.advance(0.2)
    assert log.writes == [(0, 3)]
    assert log.states == ["disk full", None]


async def test_a_flush_retries_and_says_why_it_cannot(log: Log, clock: FakeClock) -> None:
    log.failing = 2
    log.add()
    await clock.advance(0.2)
    with pytest.raises(WriteFailedError, match="disk full"):
        await log.behind.flush()
    assert log.states == ["disk full"]
    await log.behind.flush()
    assert log.writes == [(0, 1)]


async def test_a_flush_joins_the_running_write_and_retries_its_failure(log: Log, clock: FakeClock) -> None:
    log.gate.clear()
    log.failing = 1
    log.add()
    await clock.advance(0.2)
    flush = asyncio.ensure_future(log.behind.flush())
    await clock.settle()
    log.gate.set()
    await flush
    assert (log.writes, log.most_running) == ([(0, 1)], 1)


async def test_a_cancelled_flush_does_not_cut_the_write(log: Log, clock: FakeClock) -> None:
    log.gate.clear()
    log.add()
    flush = asyncio.ensure_future(log.behind.flush())
    await clock.settle()
    flush.cancel()
    await clock.settle()
    log.gate.set()
    await clock.settle()
    assert (log.writes, log.behind.written) == ([(0, 1)], 1)


async def test_close_drains_and_leaves_no_timer(log: Log, clock: FakeClock) -> None:
    log.add()
    await log.behind.close()
    await log.behind.close()
    assert (log.writes, clock.sleepers) == ([(0, 1)], 0)
    log.failing = 1
    log.add()
    with pytest.raises(WriteFailedError):
        await log.behind.close()
    assert clock.sleepers == 0


async def test_a_fault_that_is_no_disks_is_told_as_loudly_and_the_next_event_tries_again(
    log: Log, clock: FakeClock
) -> None:
    log.fault = TypeError("no such row")
    log.add()
    await clock.advance(0.2)
    assert (log.writes, log.behind.written) == ([], 0)
    assert log.states == ["the session is not saved: TypeError: no such row; the next event tries again"]
    with pytest.raises(WriteFailedError, match="no such row") as raised:
        await log.behind.flush()
    assert raised.value.__cause__ is log.fault
    log.fault = None
    log.add()
    await clock.advance(0.2)
    assert (log.writes, log.states[1:]) == ([(0, 2)], [None])
