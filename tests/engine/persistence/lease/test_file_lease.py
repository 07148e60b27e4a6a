"""A lease is taken, refused, taken over after a crash, and kept alive."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.persistence.errors import (
    AlreadyOwnedError,
    SessionOwnershipLostError,
    WriteFailedError,
)
from dsh_tui.engine.persistence.lease.file_lease import FileLease
from dsh_tui.engine.persistence.lease.lock_file import LockFile
from dsh_tui.engine.persistence.lease.plugin import FileLeases, LeaseConfig
from dsh_tui.engine.persistence.lease.record import LOCK_NAME, SHORTEST_TOKEN, LeaseRecord, Stamp
from tests.fakes.fake_clock import FakeClock
from tests.fakes.leases import INTERVAL, TTL, fields, lock_of, renewed

# Taken, refused


async def test_the_first_taker_leaves_a_whole_private_record(
    ours: FileLeases, log: Path, clock: FakeClock
) -> None:
    await ours.acquire(log)
    record = fields(log)
    assert set(record) == {"token", "pid", "renewedAt", "expiresAt"}
    assert len(record["token"]) >= 32
    assert int(record["token"], 16)
    assert record["pid"] == os.getpid()
    assert (record["renewedAt"], record["expiresAt"]) == (clock.now_ms(), clock.now_ms() + TTL * 1000)
    assert lock_of(log).stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in log.parent.iterdir()] == [LOCK_NAME]


async def test_another_process_is_refused_and_learns_who_and_until_when(
    ours: FileLeases, theirs: FileLeases, log: Path, clock: FakeClock
) -> None:
    await ours.acquire(log)
    before = lock_of(log).read_bytes()
    await clock.advance(60)
    with pytest.raises(AlreadyOwnedError, match=f"in use by process {os.getpid()} until ") as caught:
        await theirs.acquire(log)
    error = caught.value
    assert (error.pid, error.expires_at) == (os.getpid(), clock.now_ms() + (TTL - 60) * 1000)
    assert error.retry_after_ms == (TTL - 60) * 1000
    assert lock_of(log).read_bytes() == before
    assert theirs.holder(log) is not None


async def test_a_second_writer_in_one_process_is_refused_at_once(ours: FileLeases, log: Path) -> None:
    first = asyncio.create_task(ours.acquire(log))
    await asyncio.sleep(0)
    with pytest.raises(AlreadyOwnedError, match="in this process already"):
        await ours.acquire(log)
    await (await first).release()
    await ours.acquire(log)


async def test_a_crashed_holder_is_waited_out_to_the_millisecond(
    ours: FileLeases, theirs: FileLeases, log: Path, clock: FakeClock
) -> None:
    dead = LeaseRecord(
        token="d" * 32, pid=1, renewed_at=clock.now_ms(), expires_at=clock.now_ms() + TTL * 1000
    )
    LockFile(lock_of(log)).create(dead)
    await clock.advance(TTL - 0.001)
    with pytest.raises(AlreadyOwnedError):
        await theirs.acquire(log)
    await clock.advance(0.001)
    await ours.acquire(log)
    assert fields(log)["pid"] == os.getpid()


async def test_the_records_own_end_counts_and_not_the_settings_of_its_reader(
    ours: FileLeases, log: Path, clock: FakeClock
) -> None:
    hasty = FileLeases(LeaseConfig(ttl_ms=2_000, renew_interval_ms=1_000, clock=clock))
    await ours.acquire(log)
    await clock.advance(TTL - INTERVAL)
    with pytest.raises(AlreadyOwnedError):
        await hasty.acquire(log)


@pytest.mark.parametrize("garbage", [b"", b"{", b"\0" * 100])
async def test_a_lock_without_sense_is_judged_by_its_age(
    ours: FileLeases, log: Path, clock: FakeClock, garbage: bytes
) -> None:
    log.parent.mkdir(parents=True)
    lock_of(log).write_bytes(garbage)
    now = clock.now_ms() / 1000
    os.utime(lock_of(log), (now + 1, now + 1))
    with pytest.raises(AlreadyOwnedError, match=f"delete {lock_of(log)}") as caught:
        await ours.acquire(log)
    assert caught.value.retry_after_ms is None
    os.utime(lock_of(log), (now - TTL + 1, now - TTL + 1))
    with pytest.raises(AlreadyOwnedError) as caught:
        await ours.acquire(log)
    assert caught.value.retry_after_ms == 1_000
    await clock.advance(1)
    await ours.acquire(log)
    assert fields(log)["pid"] == os.getpid()


class RacedLock(LockFile):
    """Another taker puts its record there right after ours."""

    def replace(self, record: LeaseRecord) -> Stamp:
        stamp = super().replace(record)
        other = LeaseRecord(
            token="e" * 32, pid=99, renewed_at=record.renewed_at, expires_at=record.expires_at
        )
        LockFile(self.path).replace(other)
        return stamp


def lease_on(lock: LockFile, clock: FakeClock) -> FileLease:
    return FileLease(lock, ttl_ms=TTL * 1000, renew_interval_ms=INTERVAL * 1000, clock=clock)


def dead_record(clock: FakeClock) -> LeaseRecord:
    now = clock.now_ms()
    return LeaseRecord(token="d" * 32, pid=1, renewed_at=now - TTL * 1000, expires_at=now)


async def test_of_two_takers_the_one_that_came_first_learns_it_at_the_second_look(
    log: Path, clock: FakeClock
) -> None:
    lock = RacedLock(lock_of(log))
    lock.create(dead_record(clock))
    with pytest.raises(AlreadyOwnedError, match="process 99") as caught:
        await lease_on(lock, clock).take()
    assert caught.value.pid == 99
    assert fields(log)["pid"] == 99
    assert clock.sleepers == 0


async def test_of_two_takers_that_both_believe_it_one_stops_before_its_next_write(
    log: Path, clock: FakeClock
) -> None:
    lock = LockFile(lock_of(log))
    lock.create(dead_record(clock))
    first = lease_on(lock, clock)
    await first.take()
    stamp = lock.replace(LeaseRecord(**{**vars_of(fields(log)), "token": "e" * 32, "pid": 99}))
    wrote: list[int] = []
    with pytest.raises(SessionOwnershipLostError, match="process 99 has taken it over"):
        await first.write(lambda: wrote.append(1))
    assert (wrote, lock.stamp()) == ([], stamp)


def vars_of(record: dict[str, Any]) -> dict[str, Any]:  # Any: JSON of the record
    return {
        "token": record["token"],
        "pid": record["pid"],
        "renewed_at": record["renewedAt"],
        "expires_at": record["expiresAt"],
    }


async def test_a_folder_that_can_not_be_made_is_told_and_may_be_tried_again(
    ours: FileLeases, log: Path
) -> None:
    log.parent.parent.parent.write_text("in the way")
    with pytest.raises(WriteFailedError, match="cannot take the lease"):
        await ours.acquire(log)
    log.parent.parent.parent.unlink()
    await ours.acquire(log)


async def test_whoever_gives_up_waiting_leaves_no_lock_behind(ours: FileLeases, log: Path) -> None:
    taking = asyncio.create_task(ours.acquire(log))
    await asyncio.sleep(0)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert not lock_of(log).exists()
    await ours.acquire(log)


# Held


async def test_the_holder_renews_in_time_again_and_again(
    ours: FileLeases, theirs: FileLeases, log: Path, clock: FakeClock
) -> None:
    lease = await ours.acquire(log)
    token = fields(log)["token"]
    for _ in range(5):
        await clock.advance(INTERVAL)
        await renewed(lease)
        record = fields(log)
        assert record["token"] == token
        assert record["expiresAt"] == clock.now_ms() + TTL * 1000
        with pytest.raises(AlreadyOwnedError):
            await theirs.acquire(log)
    assert lease.lost is None


async def test_a_write_before_the_end_touches_nothing(ours: FileLeases, log: Path, clock: FakeClock) -> None:
    lease = await ours.acquire(log)
    before = lock_of(log).stat()
    await clock.advance(INTERVAL - 1)
    assert await lease.write(lambda: "written") == "written"
    assert lock_of(log).stat() == before


async def test_a_renewal_waits_for_the_write_that_runs(ours: FileLeases, log: Path, clock: FakeClock) -> None:
    lease = await ours.acquire(log)
    before = fields(log)
    begun, end = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        end.wait(10)

    writing = asyncio.create_task(lease.write(work))
    await asyncio.to_thread(begun.wait, 10)
    await clock.advance(INTERVAL)
    assert fields(log) == before
    end.set()
    await writing
    await renewed(lease)
    assert fields(log)["renewedAt"] == clock.now_ms()


async def test_a_write_whose_waiter_gives_up_is_over_before_the_lease_goes(
    ours: FileLeases, log: Path
) -> None:
    lease = await ours.acquire(log)
    began, go_on = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go_on.wait(10)

    async def write() -> None:
        try:
            await lease.write(work)
        finally:
            await lease.release()

    writing = asyncio.create_task(write())
    await asyncio.to_thread(began.wait, 10)
    writing.cancel()
    for _ in range(20):  # turns of loop and threads, in which it could be given back
        assert await asyncio.to_thread(lock_of(log).exists)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert not lock_of(log).exists()


async def test_a_clock_that_is_set_back_keeps_the_holder_and_the_next_renewal_mends_the_record(
    ours: FileLeases, theirs: FileLeases, log: Path, clock: FakeClock
) -> None:
    lease = await ours.acquire(log)
    clock.jump(-3_600)
    os.utime(lock_of(log), (clock.now_ms() / 1000 + 3_600,) * 2)
    with pytest.raises(AlreadyOwnedError, match="a time in the future"):
        await theirs.acquire(log)
    await clock.advance(INTERVAL)
    await renewed(lease)
    assert lease.lost is None
    assert fields(log)["renewedAt"] == clock.now_ms()


def test_a_lock_that_can_not_be_made_leaves_no_folder_behind(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "s1" / ("l" * 250))  # its temporary name is too long
    record = LeaseRecord(token="t" * SHORTEST_TOKEN, pid=1, renewed_at=1, expires_at=2)
    with pytest.raises(OSError, match="File name too long"):
        lock.create(record)
    assert not lock.path.parent.exists()
