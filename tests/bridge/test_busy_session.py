"""A session that another process writes, as it is shown: who, how long, what is new, and its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.bridge.busy_session import LOOK_SECONDS, BusySession
from dsh_tui.engine.persistence.seam import LEASES
from dsh_tui.engine.session.session import Session
from tests.fakes.fake_clock import FakeClock
from tests.fakes.leases import lock_of
from tests.fakes.session_home import SessionHome
from tests.fakes.session_logs import close_turn, open_step, open_turn, stream, whole_turn


@pytest.fixture
async def theirs(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SessionHome]:
    """The home of the process that writes."""
    made = SessionHome(tmp_path / "sessions", clock, leased=True)
    await made.boot()
    yield made
    await made.tree.fiber.dispose()


@pytest.fixture
async def ours(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SessionHome]:
    made = SessionHome(tmp_path / "sessions", clock, leased=True)
    await made.boot()
    yield made
    await made.tree.fiber.dispose()


@pytest.fixture
async def session(theirs: SessionHome) -> Session:
    made = theirs.sessions.create(id="s1", meta={"cwd": "/work"})
    whole_turn(made, "hello", "hi")
    await theirs.sessions.flush(made)
    return made


@pytest.fixture
async def busy(ours: SessionHome, session: Session, clock: FakeClock) -> BusySession:
    made = BusySession(session.id, ours.persistence, ours.tree[LEASES], clock)
    await made.read()
    return made


async def look(clock: FakeClock) -> None:
    """One look later; it may read a file in a thread."""
    await clock.advance(LOOK_SECONDS)
    for _ in range(20):
        await asyncio.sleep(0.002)


async def test_it_says_who_how_long_and_what_to_do(busy: BusySession, clock: FakeClock) -> None:
    said = f"in use by process {os.getpid()}, lease ends in 5 min · /fork works in a copy"
    assert busy.reason == said
    changes: list[str] = []
    waiting = asyncio.create_task(busy.until_free(lambda: changes.append(busy.reason)))
    await look(clock)
    assert [change.split(" · ")[0].split(", ")[1] for change in changes] == ["lease ends in 4 min"]
    await look(clock)
    assert len(changes) == 1  # nothing new, nothing drawn
    clock.jump(200)
    await look(clock)
    assert changes[-1].split(" · ")[0].endswith("lease ends in 97 s")
    clock.jump(100)
    await look(clock)
    await asyncio.wait_for(waiting, 5)


async def test_it_grows_as_it_is_written_with_its_turn_open(
    busy: BusySession, theirs: SessionHome, session: Session, clock: FakeClock
) -> None:
    events, changes = busy.events, list[int]()
    waiting = asyncio.create_task(busy.until_free(lambda: changes.append(len(events))))
    open_turn(session, "more")
    open_step(session)
    stream(session, "a", "b", "c")
    await theirs.sessions.flush(session)
    await look(clock)
    assert list(events) == list(session.events)
    assert changes[-1] == len(session.events)
    close_turn(session)
    await theirs.sessions.flush(session)
    await look(clock)
    assert list(events) == list(session.events)
    busy.stop()
    await look(clock)
    await asyncio.wait_for(waiting, 5)
    assert clock.sleepers <= 2  # the renewal of the other process, and the window of its store


async def test_an_open_turn_is_not_shown_as_ended(
    ours: SessionHome, theirs: SessionHome, session: Session, clock: FakeClock
) -> None:
    open_turn(session, "more")
    await theirs.sessions.flush(session)
    busy = BusySession(session.id, ours.persistence, ours.tree[LEASES], clock)
    await busy.read()
    assert [event.type for event in busy.events][-2:] == ["turn/start", "user/message"]


async def test_it_is_free_when_its_writer_lets_go(
    busy: BusySession, theirs: SessionHome, session: Session, clock: FakeClock
) -> None:
    waiting = asyncio.create_task(busy.until_free(lambda: None))
    await look(clock)
    assert not waiting.done()
    await theirs.tree.fiber.dispose()
    await look(clock)
    await asyncio.wait_for(waiting, 5)


async def test_what_can_not_be_seen_is_taken_for_held(
    busy: BusySession, theirs: SessionHome, session: Session, clock: FakeClock
) -> None:
    lock = lock_of(theirs.file_of(session))
    lock.unlink()
    lock.mkdir()
    waiting = asyncio.create_task(busy.until_free(lambda: None))
    await look(clock)
    assert not waiting.done()
    lock.rmdir()
    await look(clock)
    await asyncio.wait_for(waiting, 5)


async def test_times_that_can_not_be_true_are_said_to_be(
    ours: SessionHome, theirs: SessionHome, session: Session, clock: FakeClock
) -> None:
    clock.jump(-3_600)
    lock = lock_of(theirs.file_of(session))
    os.utime(lock, (clock.now_ms() / 1000 + 60,) * 2)
    busy = BusySession(session.id, ours.persistence, ours.tree[LEASES], clock)
    await busy.read()
    assert "since a time in the future" in busy.reason
    busy.give_up("it is damaged")
    assert busy.reason == "it is damaged"
