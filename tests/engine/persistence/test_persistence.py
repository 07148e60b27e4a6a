from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.kernel import Context, create_root
from dsh_tui.engine.persistence.errors import (
    AlreadyOwnedError,
    AlreadyStoredError,
    CorruptLogError,
    NotStoredError,
    OwnershipLostError,
    PersistenceError,
    SessionLiveError,
    UnknownEventError,
    WriteFailedError,
)
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.seam import LEASES, PERSISTENCE, PERSISTENCE_STATE, Lease, Persistence
from dsh_tui.engine.session import plugin as sessions
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.registry import EVENT_TYPES, EventType
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS, SessionStore
from tests.fakes.fake_clock import FakeClock
from tests.fakes.flaky_disk import FlakyDisk
from tests.fakes.session_logs import (
    answer,
    bare_session,
    call,
    close_turn,
    open_step,
    open_turn,
    stream,
    whole_turn,
)


class Home:
    """A tree with sessions and persistence over one folder; `reboot` makes a new one over the same files."""

    def __init__(self, root: Path, clock: FakeClock) -> None:
        self.root, self.clock, self.disk = root, clock, FlakyDisk()
        self.tree: Context = create_root()

    async def boot(self) -> None:
        await self.tree.plugin(sessions, self.clock)
        self.fiber = self.tree.plugin(jsonl, self.config())
        await self.fiber

    def config(self) -> dict[str, object]:
        return {"root": self.root, "clock": self.clock, "disk": self.disk}

    async def reboot(self) -> None:
        await self.tree.fiber.dispose()
        self.tree = create_root()
        await self.boot()

    @property
    def sessions(self) -> SessionStore:
        return self.tree[SESSIONS]

    @property
    def persistence(self) -> Persistence:
        return self.tree[PERSISTENCE]

    def file_of(self, session: Session) -> Path:
        path = self.persistence.locate(session.id)
        assert path is not None
        return path

    async def resume(self, session_id: str) -> Session:
        loaded = await self.persistence.prepare(session_id)
        return self.sessions.create(id=session_id, meta=loaded.header, seed=loaded.events)


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> Home:
    made = Home(tmp_path / "sessions", clock)
    await made.boot()
    return made


@pytest.fixture(autouse=True)
async def _tear_down(home: Home) -> object:
    yield
    await home.tree.fiber.dispose()


def types_in(path: Path) -> list[str]:
    return [event.type for event in read_log(path).events]


async def test_a_session_without_events_leaves_no_file(home: Home) -> None:
    session = home.sessions.create(id="s1", meta={"cwd": "/work"})
    await home.sessions.flush(session)
    await home.persistence.flush()
    assert not home.root.exists()
    assert home.persistence.list() == []


async def test_flush_makes_everything_durable(home: Home) -> None:
    session = home.sessions.create(id="s1", meta={"cwd": "/work/app"})
    whole_turn(session, "hello", "hi", "h", "i", "!")
    await home.sessions.flush(session)
    path = home.file_of(session)
    assert path == home.root / "--work-app--" / "s1" / "session.jsonl"
    loaded = read_log(path)
    assert (loaded.header, list(loaded.events)) == (session.header, list(session.events))
    before = path.read_bytes()
    await home.sessions.flush(session)
    assert path.read_bytes() == before


async def test_events_are_written_behind_without_being_asked(home: Home) -> None:
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.clock.advance(0.19)
    assert home.persistence.locate("s1") is None
    await home.clock.advance(0.02)
    await home.persistence.flush()
    assert types_in(home.file_of(session))[-1] == "turn/end"


async def test_teardown_drains_what_was_not_written(home: Home) -> None:
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.tree.fiber.dispose()
    (path,) = home.root.rglob("session.jsonl")
    assert types_in(path) == [event.type for event in session.events]


async def test_an_ended_session_is_drained_and_its_file_goes_on_later(home: Home) -> None:
    session, dispose = home.sessions.create_owned(id="s1", meta={"cwd": "/work"})
    whole_turn(session, "hello", "hi")
    await dispose()
    again = await home.resume("s1")
    assert again.header == session.header
    assert again.derive() == session.derive()
    whole_turn(again, "more", "fine")
    await home.sessions.flush(again)
    stored = list(read_log(home.file_of(again)).events)
    assert stored == list(again.events)
    assert [event.type for event in stored].count("session/end-seed") == 1


async def test_resuming_and_leaving_changes_no_byte(home: Home) -> None:
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.reboot()
    path = home.persistence.locate("s1")
    assert path is not None
    before = path.read_bytes()
    again = await home.resume("s1")
    await home.sessions.flush(again)
    await home.clock.advance(1)
    await home.reboot()
    assert path.read_bytes() == before


async def test_listing_and_inspecting_change_no_byte_of_an_open_turn(home: Home) -> None:
    session = home.sessions.create(id="s1", meta={"cwd": "/work"})
    open_turn(session, "hello there")
    open_step(session)
    answer(session, "", "c1")
    call(session, "c1")
    await home.reboot()
    (path,) = home.root.rglob("session.jsonl")
    with path.open("ab") as file:
        file.write(b'{"type":"to')
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    (row,) = home.persistence.list()
    inspected = home.persistence.inspect("s1")
    assert (row.title, row.turns, row.cwd, row.status) == ("hello there", 1, "/work", "ok")
    assert [event.type for event in inspected.events][-3:] == ["tool/result", "step/end", "turn/end"]
    assert inspected.closed == 3
    assert "cut off" in inspected.notices[0].text
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


async def test_load_commits_the_cut_and_the_closers(home: Home) -> None:
    session = home.sessions.create(id="s1")
    open_turn(session, "hello")
    open_step(session)
    stream(session, "I", " was", " about")
    await home.reboot()
    (path,) = home.root.rglob("session.jsonl")
    with path.open("ab") as file:
        file.write(b"\0" * 512)
    loaded = await home.persistence.load("s1")
    assert [notice.text for notice in loaded.notices] == [
        "512 NUL bytes at the end, as a power cut leaves them, were left out",
        "turn 1 was still open and was closed as interrupted",
    ]
    assert b"\0" not in path.read_bytes()
    assert types_in(path)[-2:] == ["step/end", "turn/end"]
    again = await home.resume("s1")
    whole_turn(again, "on", "yes")
    assert again.last_turn == 2


async def test_a_fork_writes_its_seed_by_itself(home: Home) -> None:
    parent = home.sessions.create(id="p", meta={"cwd": "/work"})
    whole_turn(parent, "hello", "hi", "h", "i", "!")
    child = home.sessions.fork("p", new_id="c")
    await home.clock.advance(0.3)
    await home.persistence.flush()
    loaded = read_log(home.file_of(child))
    assert loaded.header["parentSession"] == "p"
    assert list(loaded.events) == list(child.events)


async def test_an_id_with_another_log_is_vetoed_and_nothing_is_touched(home: Home) -> None:
    session = home.sessions.create(id="s1", meta={"cwd": "/work"})
    whole_turn(session, "hello", "hi")
    await home.reboot()
    path = home.persistence.locate("s1")
    assert path is not None
    before = path.read_bytes()
    with pytest.raises(AlreadyStoredError, match="resume it or choose another id"):
        home.sessions.create(id="s1", meta={"cwd": "/work"})
    with pytest.raises(AlreadyStoredError):
        home.sessions.create(id="s1", meta={"cwd": "/elsewhere"}, seed=session.events)
    other = bare_session()
    whole_turn(other, "goodbye", "no")
    with pytest.raises(AlreadyStoredError):
        home.sessions.create(id="s1", meta={"cwd": "/work"}, seed=other.events)
    path.write_bytes(b"")
    with pytest.raises(AlreadyStoredError):
        home.sessions.create(id="s1", meta={"cwd": "/work"})
    path.write_bytes(before)
    assert home.sessions.list() == ()


async def test_a_reload_of_the_plugin_goes_on_in_the_open_turn(home: Home) -> None:
    session = home.sessions.create(id="s1")
    open_turn(session, "hello")
    await home.persistence.flush()
    path = home.file_of(session)
    await home.fiber.dispose()
    open_step(session)
    answer(session, "hi")
    home.fiber = home.tree.plugin(jsonl, home.config())
    await home.fiber
    close_turn(session)
    await home.persistence.flush()
    assert list(read_log(path).events) == list(session.events)


async def test_a_full_disk_is_said_and_writing_resumes(home: Home) -> None:
    states: list[str | None] = []
    home.tree.on(PERSISTENCE_STATE, lambda _id, error: states.append(None if error is None else error.code))
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    acknowledged = len(session.events)
    home.disk.room = 10
    whole_turn(session, "more", "fine")
    with pytest.raises(WriteFailedError, match="No space left on device"):
        await home.sessions.flush(session)
    assert len(read_log(home.file_of(session)).events) == acknowledged
    assert session.derive()[-1]["content"][0]["text"] == "fine"  # type: ignore[typeddict-item]  # a text block
    home.disk.room = None
    whole_turn(session, "again", "better")
    await home.sessions.flush(session)
    assert list(read_log(home.file_of(session)).events) == list(session.events)
    assert states == ["WRITE_FAILED", None]


@pytest.mark.parametrize("fault", ["sync", "short", "full"])
async def test_a_retry_after_any_fault_leaves_each_number_once(home: Home, fault: str) -> None:
    session = home.sessions.create(id="s1")
    for number in range(6):
        whole_turn(session, f"prompt {number}", "reply", "a", "b", "c", "d")
        if number % 2:
            home.disk.failing_syncs = fault == "sync"
            home.disk.short_writes = fault == "short"
            home.disk.room = 700 if fault == "full" else None
        try:
            await home.sessions.flush(session)
        except WriteFailedError:
            home.disk.room = None
    await home.sessions.flush(session)
    loaded = read_log(home.file_of(session))
    assert (list(loaded.events), loaded.notices) == (list(session.events), ())


async def test_a_flush_costs_one_sync_and_an_idle_one_none(home: Home) -> None:
    session = home.sessions.create(id="s1")
    open_turn(session, "hello")
    await home.sessions.flush(session)
    home.disk.syncs = 0
    open_step(session)
    answer(session, "", "c1")
    await home.sessions.flush(session)
    await home.sessions.flush(session)
    assert home.disk.syncs == 1


async def test_a_live_session_is_inspected_as_it_is(home: Home) -> None:
    session = home.sessions.create(id="s1")
    open_turn(session, "hello")
    inspected = home.persistence.inspect("s1")
    assert list(inspected.events) == list(session.events)
    open_step(session)
    assert len(inspected.events) == 2
    with pytest.raises(SessionLiveError, match="turn 1"):
        await home.persistence.load("s1")
    with pytest.raises(SessionLiveError):
        await home.persistence.prepare("s1")
    close_turn(session)
    loaded = await home.persistence.load("s1")
    assert list(read_log(home.file_of(session)).events) == list(loaded.events)


async def test_reading_from_a_seq_gives_the_valid_prefix_only(home: Home) -> None:
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi", "a", "b", "c")
    whole_turn(session, "more", "fine")
    await home.persistence.flush()
    assert [event.seq for event in home.persistence.read_from("s1", 9)] == list(range(9, len(session.events)))
    assert list(home.persistence.read_from("s1", 999)) == []
    path = home.file_of(session)
    lines = path.read_bytes().split(b"\n")
    del lines[3]
    await home.tree.fiber.dispose()
    path.write_bytes(b"\n".join(lines))
    home.tree = create_root()
    await home.boot()
    assert [event.seq for event in home.persistence.read_from("s1", 0)] == [0, 1]
    with pytest.raises(CorruptLogError):
        await home.persistence.prepare("s1")
    assert home.persistence.inspect("s1").status == "damaged"


async def test_an_unknown_event_keeps_a_log_readable_but_not_writable(home: Home) -> None:
    undo = EVENT_TYPES.add(EventType(tag="weather/seen", ignorable=False))
    skip = EVENT_TYPES.add(EventType(tag="weather/noted"))
    first, second = home.sessions.create(id="s1"), home.sessions.create(id="s2")
    append_idle(first, "weather", "weather/seen", {})
    append_idle(second, "weather", "weather/noted", {})
    await home.reboot()
    undo()
    skip()
    assert len(home.persistence.inspect("s1").events) == 3
    with pytest.raises(UnknownEventError, match="weather/seen"):
        await home.persistence.prepare("s1")
    assert (await home.resume("s2")).events[1].type == "weather/noted"


async def test_nothing_is_found_under_an_id_that_tries_to_climb(home: Home, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(b"")
    for session_id in ("..", "../..", "/etc", ".", ""):
        assert home.persistence.locate(session_id) is None
        with pytest.raises(NotStoredError):
            home.persistence.inspect(session_id)
    session = home.sessions.create(id="../../up")
    whole_turn(session, "hello", "hi")
    await home.persistence.flush()
    assert home.root in home.file_of(session).parents
    assert home.persistence.list()[0].id == "../../up"


async def test_an_unsafe_id_is_refused_at_once(home: Home) -> None:
    with pytest.raises(PersistenceError, match="too long"):
        home.sessions.create(id="x" * 500)
    assert home.sessions.list() == ()


async def test_one_bad_session_hides_no_other(home: Home) -> None:
    for number in range(3):
        whole_turn(home.sessions.create(id=f"s{number}"), f"prompt {number}", "reply")
        await home.clock.advance(1)
    await home.reboot()
    path = home.persistence.locate("s1")
    assert path is not None
    path.write_bytes(b'{"format":"dsh-tui","version":99}\n')
    rows = home.persistence.list()
    assert {(row.id, row.status) for row in rows} == {("s0", "ok"), ("s1", "foreign-version"), ("s2", "ok")}
    assert [row.id for row in rows if row.status == "ok"] == ["s2", "s0"]


async def test_two_sessions_do_not_wait_for_each_other(home: Home) -> None:
    one, two = home.sessions.create(id="s1"), home.sessions.create(id="s2")
    whole_turn(one, "hello", "hi")
    whole_turn(two, "hello", "hi")
    await asyncio.gather(home.sessions.flush(one), home.sessions.flush(two))
    assert {row.id for row in home.persistence.list()} == {"s1", "s2"}


class OneLease:
    """Leases for one writer at a time, taken and lost as told."""

    def __init__(self) -> None:
        self.holder: Path | None = None
        self.lost = False
        self.checks = 0

    async def acquire(self, path: Path) -> Lease:
        if self.holder is not None:
            raise AlreadyOwnedError(f"{path} is written by process 7", path=path, pid=7)
        self.holder = path
        return self

    async def check(self) -> None:
        self.checks += 1
        if self.lost:
            raise OwnershipLostError("the lease is lost")

    async def release(self) -> None:
        self.holder = None


@pytest.fixture
async def lease(home: Home) -> OneLease:
    made = OneLease()
    home.tree.provide(LEASES, made)
    return made


async def test_the_lease_is_held_from_the_first_byte_to_the_end(home: Home, lease: OneLease) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    assert lease.holder is None
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    assert lease.holder == home.file_of(session)
    await dispose()
    await home.persistence.load("s1")
    assert lease.holder is None


async def test_a_resume_holds_the_lease_before_the_session_is_published(home: Home, lease: OneLease) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await dispose()
    loaded = await home.persistence.prepare("s1")
    assert lease.holder is not None
    again, end = home.sessions.create_owned(id="s1", meta=loaded.header, seed=loaded.events)
    whole_turn(again, "more", "fine")
    await home.sessions.flush(again)
    assert lease.checks == 1
    await end()
    await home.persistence.load("s1")
    assert lease.holder is None


async def test_a_lost_lease_ends_writing_for_good(home: Home, lease: OneLease) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    before = home.file_of(session).read_bytes()
    lease.lost = True
    whole_turn(session, "more", "fine")
    with pytest.raises(OwnershipLostError):
        await home.sessions.flush(session)
    lease.lost = False
    for _ in range(2):
        with pytest.raises(OwnershipLostError):
            await home.sessions.flush(session)
    assert home.file_of(session).read_bytes() == before
    await dispose()


async def test_a_busy_session_is_refused_and_can_still_be_inspected(home: Home, lease: OneLease) -> None:
    session, dispose = home.sessions.create_owned(id="s1")
    whole_turn(session, "hello", "hi")
    await dispose()
    await home.persistence.load("s1")
    lease.holder = Path("elsewhere")
    with pytest.raises(AlreadyOwnedError) as caught:
        await home.persistence.prepare("s1")
    assert (caught.value.pid, isinstance(caught.value, HarnessError)) == (7, True)
    assert home.persistence.inspect("s1").status == "ok"
    fresh = home.sessions.create(id="s2")
    open_turn(fresh, "hello")
    with pytest.raises(AlreadyOwnedError):
        await home.sessions.flush(fresh)
