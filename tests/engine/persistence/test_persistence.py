from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.persistence.errors import (
    AlreadyStoredError,
    CorruptLogError,
    NotStoredError,
    PersistenceError,
    SessionLiveError,
    UnknownEventError,
)
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.registry import EVENT_TYPES, EventType
from tests.fakes.session_home import SessionHome
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


def types_in(path: Path) -> list[str]:
    return [event.type for event in read_log(path).events]


async def test_a_session_without_events_leaves_no_file(home: SessionHome) -> None:
    session = home.sessions.create(id="s1", meta={"cwd": "/work"})
    await home.sessions.flush(session)
    await home.persistence.flush()
    assert not home.root.exists()
    assert home.persistence.list() == []


async def test_flush_makes_everything_durable(home: SessionHome) -> None:
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


async def test_events_are_written_behind_without_being_asked(home: SessionHome) -> None:
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.clock.advance(0.19)
    assert home.persistence.locate("s1") is None
    await home.clock.advance(0.02)
    await home.persistence.flush()
    assert types_in(home.file_of(session))[-1] == "turn/end"


async def test_teardown_drains_what_was_not_written(home: SessionHome) -> None:
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.tree.fiber.dispose()
    (path,) = home.root.rglob("session.jsonl")
    assert types_in(path) == [event.type for event in session.events]


async def test_an_ended_session_is_drained_and_its_file_goes_on_later(home: SessionHome) -> None:
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


async def test_resuming_and_leaving_changes_no_byte(home: SessionHome) -> None:
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


async def test_listing_and_inspecting_change_no_byte_of_an_open_turn(home: SessionHome) -> None:
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


async def test_load_commits_the_cut_and_the_closers(home: SessionHome) -> None:
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


async def test_a_fork_writes_its_seed_by_itself(home: SessionHome) -> None:
    parent = home.sessions.create(id="p", meta={"cwd": "/work"})
    whole_turn(parent, "hello", "hi", "h", "i", "!")
    child = home.sessions.fork("p", new_id="c")
    await home.clock.advance(0.3)
    await home.persistence.flush()
    loaded = read_log(home.file_of(child))
    assert loaded.header["parentSession"] == "p"
    assert list(loaded.events) == list(child.events)


async def test_an_id_with_another_log_is_vetoed_and_nothing_is_touched(home: SessionHome) -> None:
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


async def test_a_reload_of_the_plugin_goes_on_in_the_open_turn(home: SessionHome) -> None:
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


async def test_a_live_session_is_inspected_as_it_is(home: SessionHome) -> None:
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


async def test_reading_from_a_seq_gives_the_valid_prefix_only(home: SessionHome) -> None:
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


async def test_an_unknown_event_keeps_a_log_readable_but_not_writable(home: SessionHome) -> None:
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


async def test_nothing_is_found_under_an_id_that_tries_to_climb(home: SessionHome, tmp_path: Path) -> None:
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


async def test_an_unsafe_id_is_refused_at_once(home: SessionHome) -> None:
    with pytest.raises(PersistenceError, match="too long"):
        home.sessions.create(id="x" * 500)
    assert home.sessions.list() == ()


async def test_one_bad_session_hides_no_other(home: SessionHome) -> None:
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


async def test_two_sessions_do_not_wait_for_each_other(home: SessionHome) -> None:
    one, two = home.sessions.create(id="s1"), home.sessions.create(id="s2")
    whole_turn(one, "hello", "hi")
    whole_turn(two, "hello", "hi")
    await asyncio.gather(home.sessions.flush(one), home.sessions.flush(two))
    assert {row.id for row in home.persistence.list()} == {"s1", "s2"}


async def test_whoever_stops_waiting_for_a_log_that_is_mended_leaves_no_half_mended_one(
    home: SessionHome,
) -> None:
    session = home.sessions.create(id="s1")
    open_turn(session, "hello")
    await home.sessions.flush(session)
    path = home.file_of(session)
    await home.reboot()
    with path.open("ab") as file:
        file.write(b'{"type":"torn')
    home.disk.gate = threading.Event()
    loading = asyncio.create_task(home.persistence.load("s1"))
    while not home.disk.waiting:
        await asyncio.sleep(0)
    loading.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not loading.done()
    home.disk.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert types_in(path)[-1] == "turn/end"
    assert (await home.persistence.load("s1")).notices == ()
