from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.persistence.errors import (
    AlreadyOwnedError,
    SessionOwnershipLostError,
)
from dsh_tui.engine.persistence.seam import LEASES, Holder, Lease
from tests.fakes.session_home import SessionHome
from tests.fakes.session_logs import (
    open_turn,
    whole_turn,
)

T = TypeVar("T")


class OneLease:
    """Leases for one writer at a time, taken and lost as told."""

    def __init__(self) -> None:
        self.holding: Path | None = None
        self.lost = False
        self.checks = 0

    async def acquire(self, path: Path) -> Lease:
        if self.holding is not None:
            raise AlreadyOwnedError(f"{path} is written by process 7", path=path, pid=7)
        self.holding = path
        return self

    async def write(self, work: Callable[[], T]) -> T:
        self.checks += 1
        if self.lost:
            raise SessionOwnershipLostError("the lease is lost")
        return work()

    def when_lost(self, listener: Callable[[SessionOwnershipLostError], None]) -> None:
        self.listener = listener

    def close_now(self) -> None:
        self.holding = None

    def holder(self, path: Path) -> Holder | None:
        return None if self.holding is None else Holder(7, None)

    async def release(self) -> None:
        self.holding = None


@pytest.fixture
async def lease(home: SessionHome) -> OneLease:
    made = OneLease()
    home.tree.provide(LEASES, made)
    return made


async def test_the_lease_is_held_from_the_first_byte_to_the_end(home: SessionHome, lease: OneLease) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    assert lease.holding == home.file_of(session)
    await dispose()
    await home.persistence.load("s1")
    assert lease.holding is None


async def test_a_resume_holds_the_lease_before_the_session_is_published(
    home: SessionHome, lease: OneLease
) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await dispose()
    loaded = await home.persistence.prepare("s1")
    assert lease.holding is not None
    again, end = home.sessions.create_owned(id="s1", meta=loaded.header, seed=loaded.events)
    whole_turn(again, "more", "fine")
    await home.sessions.flush(again)
    assert lease.checks == 2  # the first writer, and the one that goes on
    await end()
    await home.persistence.load("s1")
    assert lease.holding is None


async def test_a_lost_lease_ends_writing_for_good(home: SessionHome, lease: OneLease) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    before = home.file_of(session).read_bytes()
    lease.lost = True
    whole_turn(session, "more", "fine")
    with pytest.raises(SessionOwnershipLostError):
        await home.sessions.flush(session)
    lease.lost = False
    for _ in range(2):
        with pytest.raises(SessionOwnershipLostError):
            await home.sessions.flush(session)
    assert home.file_of(session).read_bytes() == before
    await dispose()


async def test_a_busy_session_is_refused_and_can_still_be_inspected(
    home: SessionHome, lease: OneLease
) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await dispose()
    await home.persistence.load("s1")
    lease.holding = Path("elsewhere")
    with pytest.raises(AlreadyOwnedError) as caught:
        await home.persistence.prepare("s1")
    assert (caught.value.pid, isinstance(caught.value, HarnessError)) == (7, True)
    assert home.persistence.inspect("s1").status == "ok"
    fresh = home.sessions.create(id="s2")
    open_turn(fresh, "hello")
    with pytest.raises(AlreadyOwnedError):
        await home.sessions.flush(fresh)
