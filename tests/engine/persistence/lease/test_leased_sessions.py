"""Sessions under leases: two processes over one folder, and what each may do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.errors import AlreadyOwnedError, PersistenceError, SessionOwnershipLostError
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.lease.lock_file import LockFile
from dsh_tui.engine.persistence.lease.record import LOCK_NAME, LeaseRecord
from dsh_tui.engine.persistence.seam import PERSISTENCE_STATE
from dsh_tui.engine.session.session import Session
from tests.fakes.fake_clock import FakeClock
from tests.fakes.leases import INTERVAL, TTL, fields, lock_of
from tests.fakes.session_home import SessionHome
from tests.fakes.session_logs import open_turn, whole_turn
from tests.fakes.until import until


@pytest.fixture
async def ours(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SessionHome]:
    made = SessionHome(tmp_path / "sessions", clock, leased=True)
    await made.boot()
    yield made
    await made.tree.fiber.dispose()


@pytest.fixture
async def theirs(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SessionHome]:
    made = SessionHome(tmp_path / "sessions", clock, leased=True)
    await made.boot()
    yield made
    await made.tree.fiber.dispose()


async def saved(home: SessionHome, session_id: str = "s1") -> Session:
    session = home.sessions.create(id=session_id, meta={"cwd": "/work"})
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    return session


async def test_a_session_has_its_lease_before_it_has_a_log_and_no_list_shows_it(
    ours: SessionHome, theirs: SessionHome
) -> None:
    session, end = ours.sessions.create_owned(id="s1", meta={"cwd": "/work"})
    await ours.sessions.flush(session)
    path = log_path(ours.root, "/work", "s1")
    await until(lambda: ours.clock.sleepers)  # it is taken in a thread; then its timer sleeps
    assert [entry.name for entry in path.parent.iterdir()] == [LOCK_NAME]
    assert (ours.persistence.list(), theirs.persistence.list()) == ([], [])
    assert theirs.persistence.locate("s1") is None
    await end()
    await ours.persistence.flush()
    await ours.tree.fiber.dispose()
    assert not path.parent.exists()


async def test_a_busy_session_can_be_read_and_listed_but_not_written(
    ours: SessionHome, theirs: SessionHome
) -> None:
    session = await saved(ours)
    for attempt in (theirs.persistence.prepare, theirs.persistence.load):
        with pytest.raises(AlreadyOwnedError, match="--fork s1"):
            await attempt("s1")
    assert list(theirs.persistence.inspect("s1").events) == list(session.events)
    assert list(theirs.persistence.read_from("s1", 1)) == list(session.events)[1:]
    [row] = theirs.persistence.list()
    assert (row.status, row.note.startswith("in use by process ")) == ("busy", True)
    [row] = ours.persistence.list()
    assert (row.status, row.note) == ("ok", "")


async def test_a_session_that_was_closed_is_anybodys(ours: SessionHome, theirs: SessionHome) -> None:
    session, end = ours.sessions.create_owned(id="s1", meta={"cwd": "/work"})
    whole_turn(session, "hello", "hi")
    await end()
    await ours.persistence.load("s1")  # waits for the end of the last writer, and leaves no lease
    again = await theirs.resume("s1")
    whole_turn(again, "more", "fine")
    await theirs.sessions.flush(again)
    assert len(read_log(theirs.file_of(again)).events) == len(again.events)


async def test_a_torn_log_is_mended_by_its_holder_alone(ours: SessionHome, theirs: SessionHome) -> None:
    session, end = ours.sessions.create_owned(id="s1", meta={"cwd": "/work"})
    open_turn(session, "hello")
    await end()
    await ours.tree.fiber.dispose()
    (path,) = ours.root.rglob("session.jsonl")
    with path.open("ab") as file:
        file.write(b'{"type":"torn')
    LockFile(lock_of(path)).create(
        LeaseRecord(
            token="f" * 32,
            pid=99,
            renewed_at=theirs.clock.now_ms(),
            expires_at=theirs.clock.now_ms() + TTL * 1000,
        )
    )
    torn = path.read_bytes()
    with pytest.raises(AlreadyOwnedError, match="process 99"):
        await theirs.persistence.prepare("s1")
    assert path.read_bytes() == torn
    await theirs.clock.advance(TTL)
    loaded = await theirs.persistence.prepare("s1")
    assert loaded.events[-1].type == "turn/end"
    assert read_log(path).end == path.stat().st_size


async def test_a_fork_has_a_lease_of_its_own(ours: SessionHome, theirs: SessionHome) -> None:
    session = await saved(ours)
    fork = ours.sessions.fork("s1", new_id="s2")
    whole_turn(fork, "more", "fine")
    await ours.sessions.flush(fork)
    assert fields(ours.file_of(session))["token"] != fields(ours.file_of(fork))["token"]
    with pytest.raises(AlreadyOwnedError):
        await theirs.persistence.prepare("s2")


async def test_a_creation_that_meets_a_lease_is_told_by_the_first_flush_and_goes_on_when_it_is_free(
    ours: SessionHome, clock: FakeClock
) -> None:
    path = log_path(ours.root, "/work", "s1")
    now = clock.now_ms()
    LockFile(lock_of(path)).create(
        LeaseRecord(token="f" * 32, pid=99, renewed_at=now, expires_at=now + 60_000)
    )
    session = ours.sessions.create(id="s1", meta={"cwd": "/work"})
    whole_turn(session, "hello", "hi")
    with pytest.raises(AlreadyOwnedError, match="process 99"):
        await ours.sessions.flush(session)
    assert not path.exists()
    await clock.advance(60)
    await ours.sessions.flush(session)
    assert len(read_log(path).events) == len(session.events)


async def take_over(session: Session, ours: SessionHome, theirs: SessionHome) -> Session:
    """Ours sleeps beyond its lease; theirs goes on with the session."""
    ours.clock.jump(TTL)
    resumed = await theirs.resume(session.id)
    whole_turn(resumed, "theirs", "yes")
    await theirs.sessions.flush(resumed)
    return resumed


async def test_after_a_takeover_the_old_holder_writes_nothing_more_and_can_still_read(
    ours: SessionHome, theirs: SessionHome
) -> None:
    states: list[str | None] = []
    ours.tree.on(PERSISTENCE_STATE, lambda _id, error: states.append(None if error is None else error.code))
    session, end = ours.sessions.create_owned(id="s1", meta={"cwd": "/work"})
    whole_turn(session, "hello", "hi")
    await ours.sessions.flush(session)
    resumed = await take_over(session, ours, theirs)
    before = ours.file_of(session).read_bytes()
    whole_turn(session, "ours", "no")
    for _ in range(2):
        with pytest.raises(SessionOwnershipLostError):
            await ours.sessions.flush(session)
    with pytest.raises(SessionOwnershipLostError):
        await ours.persistence.flush()
    await ours.clock.advance(INTERVAL)
    assert states == ["OWNERSHIP_LOST"]
    assert list(ours.persistence.inspect("s1").events) == list(session.events)  # all of it, from memory
    await end()
    assert ours.file_of(session).read_bytes() == before
    assert fields(ours.file_of(session))["token"]
    whole_turn(resumed, "still", "here")
    await theirs.sessions.flush(resumed)


async def test_a_loss_is_told_by_the_timer_even_if_nothing_is_written(
    ours: SessionHome, theirs: SessionHome
) -> None:
    lost: list[str] = []
    session = await saved(ours)

    def hear(session_id: str, error: PersistenceError | None) -> None:
        lost.append(f"{session_id} {error.code if error else ''}")

    ours.tree.on(PERSISTENCE_STATE, hear)
    await take_over(session, ours, theirs)
    await ours.clock.advance(INTERVAL)
    await until(lambda: lost)
    assert lost == ["s1 OWNERSHIP_LOST"]
    with pytest.raises(SessionOwnershipLostError):  # with nothing to write, too
        await ours.sessions.flush(session)


async def test_foreign_bytes_in_the_log_are_left_alone(ours: SessionHome) -> None:
    session = await saved(ours)
    path = ours.file_of(session)
    with path.open("ab") as other:
        other.write(b'{"type":"foreign"}\n')
    before = path.read_bytes()
    whole_turn(session, "more", "fine")
    for _ in range(2):
        with pytest.raises(SessionOwnershipLostError, match="changed by another program"):
            await ours.sessions.flush(session)
    assert path.read_bytes() == before


async def test_a_reload_of_the_store_goes_on_in_the_same_log(ours: SessionHome) -> None:
    session = await saved(ours)
    await ours.fiber.dispose()
    assert not lock_of(log_path(ours.root, "/work", "s1")).exists()
    whole_turn(session, "meanwhile", "fine")
    await ours.tree.plugin(jsonl, ours.config())
    await ours.sessions.flush(session)
    assert lock_of(ours.file_of(session)).exists()
    assert list(read_log(ours.file_of(session)).events) == list(session.events)


async def test_prepared_sessions_that_nobody_opens_are_given_back_at_the_end(
    ours: SessionHome, theirs: SessionHome
) -> None:
    await saved(ours)
    await ours.tree.fiber.dispose()
    await theirs.persistence.prepare("s1")
    (lock,) = theirs.root.rglob(LOCK_NAME)
    await theirs.tree.fiber.dispose()
    assert not lock.exists()


async def test_a_prepared_session_that_came_to_nothing_is_given_back_at_once(
    ours: SessionHome, theirs: SessionHome
) -> None:
    await saved(ours)
    await ours.tree.fiber.dispose()
    await theirs.persistence.prepare("s1")
    (lock,) = theirs.root.rglob(LOCK_NAME)
    await theirs.persistence.discard("s1")
    await theirs.persistence.discard("s1")
    assert not lock.exists()
    session = await theirs.resume("s1")
    await theirs.persistence.discard("s1")
    whole_turn(session, "more", "fine")
    await theirs.sessions.flush(session)
    assert lock.exists()


async def test_a_session_that_has_written_nothing_hears_of_its_loss_too(ours: SessionHome) -> None:
    lost: list[str] = []
    ours.tree.on(PERSISTENCE_STATE, lambda session_id, _error: lost.append(session_id))
    ours.sessions.create(id="s1", meta={"cwd": "/work"})
    path = log_path(ours.root, "/work", "s1")
    await until(lambda: ours.clock.sleepers)
    lock_of(path).unlink()
    await ours.clock.advance(INTERVAL)
    await until(lambda: lost)
    assert lost == ["s1"]
