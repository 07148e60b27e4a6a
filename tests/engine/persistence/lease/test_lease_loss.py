"""A lease is lost for good, or given back; and a log is written only under one."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.errors import (
    AlreadyOwnedError,
    SessionOwnershipLostError,
    WriteFailedError,
)
from dsh_tui.engine.persistence.lease.file_lease import FileLease
from dsh_tui.engine.persistence.lease.lock_file import LockFile
from dsh_tui.engine.persistence.lease.plugin import FileLeases, LeaseConfig
from dsh_tui.engine.persistence.lease.record import LeaseRecord, Stamp
from tests.fakes.fake_clock import FakeClock
from tests.fakes.leases import INTERVAL, TTL, fields, lock_of, renewed


def foreign(lock: Path, clock: FakeClock) -> None:
    now = clock.now_ms()
    record = LeaseRecord(token="f" * 32, pid=99, renewed_at=now, expires_at=now + TTL * 1000)
    LockFile(lock).replace(record)


def vanished(lock: Path, _clock: FakeClock) -> None:
    lock.unlink()


def overwritten(lock: Path, _clock: FakeClock) -> None:
    lock.write_bytes(b"what is this")


def unreadable(lock: Path, _clock: FakeClock) -> None:
    lock.unlink()
    lock.mkdir()


def asleep(_lock: Path, clock: FakeClock) -> None:
    clock.jump(TTL)


LOSSES = [
    (foreign, "process 99 has taken it over"),
    (vanished, "was taken away"),
    (overwritten, "was overwritten"),
    (unreadable, "could not be renewed"),
    (asleep, "ran out while this program was asleep or stopped"),
]


@pytest.mark.parametrize(("happens", "why"), LOSSES)
async def test_what_a_renewal_finds_ends_the_lease_for_good(
    ours: FileLeases, log: Path, clock: FakeClock, happens: Callable[[Path, FakeClock], None], why: str
) -> None:
    lease = await ours.acquire(log)
    heard: list[SessionOwnershipLostError] = []
    lease.when_lost(heard.append)
    lock = lock_of(log)
    happens(lock, clock)
    left = lock.read_bytes() if lock.is_file() else None
    await clock.advance(INTERVAL)
    await renewed(lease)
    assert [error.message for error in heard] == [lease.lost.message if lease.lost else ""]
    assert why in heard[0].message
    assert clock.sleepers == 0
    wrote: list[int] = []
    for _ in range(2):
        with pytest.raises(SessionOwnershipLostError, match=why):
            await lease.write(lambda: wrote.append(1))
    late: list[SessionOwnershipLostError] = []
    lease.when_lost(late.append)
    assert (wrote, late) == ([], heard)
    await lease.release()
    assert (lock.read_bytes() if lock.is_file() else None) == left


@pytest.mark.parametrize(("happens", "why"), LOSSES)
async def test_a_write_finds_it_before_the_timer_does(
    ours: FileLeases, log: Path, clock: FakeClock, happens: Callable[[Path, FakeClock], None], why: str
) -> None:
    lease = await ours.acquire(log)
    happens(lock_of(log), clock)
    wrote: list[int] = []
    with pytest.raises(SessionOwnershipLostError, match=why):
        await lease.write(lambda: wrote.append(1))
    assert wrote == []
    assert clock.sleepers == 0


async def test_a_lost_lease_never_comes_back_to_life(ours: FileLeases, log: Path, clock: FakeClock) -> None:
    lease = await ours.acquire(log)
    clock.jump(TTL)
    await renewed(lease)
    clock.jump(-TTL)
    with pytest.raises(SessionOwnershipLostError):
        await lease.write(lambda: None)
    with pytest.raises(AlreadyOwnedError):  # not before the lost one is closed
        await ours.acquire(log)
    await lease.release()
    clock.jump(TTL)
    again = await ours.acquire(log)
    await again.write(lambda: None)


async def test_foreign_bytes_in_the_log_end_the_lease_too(
    ours: FileLeases, log: Path, clock: FakeClock
) -> None:
    lease = await ours.acquire(log)
    heard: list[SessionOwnershipLostError] = []
    lease.when_lost(heard.append)

    def meet_foreign_bytes() -> None:
        raise SessionOwnershipLostError("another program has changed the log")

    with pytest.raises(SessionOwnershipLostError):
        await lease.write(meet_foreign_bytes)
    assert len(heard) == 1
    assert clock.sleepers == 0
    before = lock_of(log).read_bytes()
    await lease.release()
    assert lock_of(log).read_bytes() == before


async def test_any_other_failure_of_a_write_leaves_the_lease(ours: FileLeases, log: Path) -> None:
    lease = await ours.acquire(log)

    def fail() -> None:
        raise WriteFailedError("the disk is full")

    with pytest.raises(WriteFailedError):
        await lease.write(fail)
    assert await lease.write(lambda: 1) == 1


class FullDiskLock(LockFile):
    """No new file can be made once ``full`` is set."""

    full = False

    @contextlib.contextmanager
    def _written(self, record: LeaseRecord) -> Iterator[tuple[Path, Stamp]]:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        with super()._written(record) as written:
            yield written


async def test_a_full_disk_does_not_take_the_lease_away(log: Path, clock: FakeClock) -> None:
    lock = FullDiskLock(lock_of(log))
    lease = FileLease(lock, ttl_ms=TTL * 1000, renew_interval_ms=INTERVAL * 1000, clock=clock)
    await lease.take()
    before = fields(log)
    lock.full = True
    for _ in range(3):
        await clock.advance(INTERVAL)
        await renewed(lease)
        assert lease.lost is None
    now = fields(log)
    assert (now["token"], now["renewedAt"]) == (before["token"], clock.now_ms())
    lock.full = False
    await clock.advance(INTERVAL)
    await renewed(lease)
    assert fields(log)["renewedAt"] == clock.now_ms()
    await lease.release()
    assert not lock_of(log).exists()


async def test_on_a_full_disk_too_a_foreign_lease_is_not_written_over(log: Path, clock: FakeClock) -> None:
    lock = FullDiskLock(lock_of(log))
    lease = FileLease(lock, ttl_ms=TTL * 1000, renew_interval_ms=INTERVAL * 1000, clock=clock)
    await lease.take()
    foreign(lock_of(log), clock)
    lock.full = True
    await clock.advance(INTERVAL)
    await renewed(lease)
    assert lease.lost is not None
    assert fields(log)["pid"] == 99


# Given back


async def test_an_end_takes_the_lock_away_and_a_folder_that_holds_nothing_else(
    ours: FileLeases, theirs: FileLeases, log: Path, clock: FakeClock
) -> None:
    lease = await ours.acquire(log)
    await lease.release()
    await lease.release()
    assert not log.parent.exists()
    assert clock.sleepers == 0
    lease = await ours.acquire(log)
    log.write_text("a log")
    await lease.release()
    assert [path.name for path in log.parent.iterdir()] == [log.name]
    await theirs.acquire(log)
    with pytest.raises(SessionOwnershipLostError):
        await lease.write(lambda: None)


@pytest.mark.parametrize("happens", [foreign, overwritten, asleep])
async def test_an_end_leaves_what_is_no_longer_its_own(
    ours: FileLeases, log: Path, clock: FakeClock, happens: Callable[[Path, FakeClock], None]
) -> None:
    lease = await ours.acquire(log)
    happens(lock_of(log), clock)
    before = lock_of(log).read_bytes()
    await lease.release()
    assert lock_of(log).read_bytes() == before


async def test_an_end_that_the_file_system_refuses_is_no_error(ours: FileLeases, log: Path) -> None:
    lease = await ours.acquire(log)
    lock_of(log).unlink()
    lock_of(log).mkdir()
    await lease.release()


async def test_an_end_waits_for_the_write_that_runs(ours: FileLeases, log: Path) -> None:
    lease = await ours.acquire(log)
    begun, end = threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        end.wait(10)
        return lock_of(log).exists()

    writing = asyncio.create_task(lease.write(work))
    await asyncio.to_thread(begun.wait, 10)
    ending = asyncio.create_task(lease.release())
    await asyncio.sleep(0)
    end.set()
    assert await writing
    await ending
    assert not lock_of(log).exists()


_LEAVES_IN_A_HURRY = """
import asyncio, sys
from pathlib import Path
from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.persistence.lease import plugin
from dsh_tui.engine.persistence.seam import LEASES
async def main():
    root = create_root()
    await root.plugin(plugin)
    await root[LEASES].acquire(Path(sys.argv[1]))
    assert Path(sys.argv[1]).with_name("session.lock.json").exists()
asyncio.run(main())
"""


def test_a_process_that_leaves_without_closing_gives_it_back_at_the_last_moment(log: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LEAVES_IN_A_HURRY, str(log)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not log.parent.exists()


@pytest.mark.parametrize(("ttl", "interval"), [(0, 0), (9, 9), (9, 10), (9, 0), (9, -1), (86_400_001, 1)])
def test_a_lease_that_could_not_be_kept_is_no_setting(ttl: int, interval: int) -> None:
    with pytest.raises(ValueError, match="renew_interval_ms"):
        LeaseConfig(ttl_ms=ttl, renew_interval_ms=interval)
