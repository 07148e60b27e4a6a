from __future__ import annotations

import pytest

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session import plugin
from dsh_tui.engine.session.errors import InvalidHeaderError, StoreError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import (
    SESSION_CREATED,
    SESSION_DISPOSED,
    SESSION_EVENT,
    SESSION_FLUSH,
    SESSIONS,
    SessionStore,
)
from tests.fakes.fake_clock import FakeClock
from tests.fakes.session_logs import USER, open_turn, whole_turn


@pytest.fixture
async def store(root: Context, clock: FakeClock) -> SessionStore:
    await root.plugin(plugin, clock)
    return root[SESSIONS]


def test_header_fields_come_from_the_creator_and_the_clock(store: SessionStore, clock: FakeClock) -> None:
    session = store.create(id="s1", meta={"cwd": "/work", "agentPreset": "coder"})
    assert session.header == {
        "format": "dsh-tui",
        "version": 1,
        "id": "s1",
        "createdAt": clock.now_ms(),
        "delegationDepth": 0,
        "cwd": "/work",
        "agentPreset": "coder",
    }
    resumed = store.create(id="s2", meta=session.header)
    assert {**resumed.header, "id": "s1"} == session.header


@pytest.mark.parametrize("meta", [{"cwd": "relative"}, {"cwd": 3}, {"seedLength": -1}, {"color": "red"}])
def test_wrong_header_fields_are_refused(store: SessionStore, meta: dict[str, object]) -> None:
    with pytest.raises(InvalidHeaderError):
        store.create(meta=meta)
    assert store.list() == ()


async def test_every_event_is_published_once_and_in_order(root: Context, store: SessionStore) -> None:
    seen: list[int] = []
    created: list[Session] = []
    root.on(SESSION_CREATED, created.append)
    root.on(SESSION_EVENT, lambda _session, event: seen.append(event.seq))
    session = store.create()
    whole_turn(session, "hello", "hi", "h", "i")
    assert created == [session]
    assert seen == list(range(len(session.events)))


async def test_a_listener_that_fails_stops_neither_the_append_nor_the_others(
    root: Context, store: SessionStore, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    def fail(_session: Session, _event: Event) -> None:
        raise RuntimeError("no")

    root.on(SESSION_EVENT, fail)
    root.on(SESSION_EVENT, lambda _session, event: seen.append(event.type))
    open_turn(store.create(), "hello")
    assert seen == ["turn/start", "user/message"]
    assert "failed" in caplog.text


async def test_a_veto_frees_the_id_and_is_followed_by_the_disposal(
    root: Context, store: SessionStore
) -> None:
    gone: list[str] = []

    def veto(session: Session) -> None:
        raise PermissionError(session.id)

    undo = root.on(SESSION_CREATED, veto)
    root.on(SESSION_DISPOSED, lambda session: gone.append(session.id))
    with pytest.raises(PermissionError):
        store.create(id="s1")
    assert (store.get("s1"), gone) == (None, ["s1"])
    await undo()
    assert store.create(id="s1") is store.get("s1")


def test_an_id_is_taken_once(store: SessionStore) -> None:
    store.create(id="s1")
    with pytest.raises(StoreError) as caught:
        store.create(id="s1")
    assert caught.value.code == "ALREADY_EXISTS"
    prepared = store.prepare(id="s2")
    store.create(id="s2")
    with pytest.raises(StoreError):
        store.enter(prepared)


async def test_the_owner_ends_a_session_after_a_flush(root: Context, store: SessionStore) -> None:
    told: list[str] = []

    async def flushed(session: Session) -> None:
        told.append(f"flush {len(session.events)}")

    root.on(SESSION_FLUSH, flushed)
    root.on(SESSION_DISPOSED, lambda session: told.append(f"gone {session.disposed}"))
    session, dispose = store.create_owned(id="s1")
    open_turn(session, "hello")
    await dispose()
    await dispose()
    assert told == ["flush 2", "gone True"]
    assert store.get("s1") is None
    assert store.create(id="s1") is not session


async def test_leaving_waits_for_the_publication_to_unwind(root: Context, store: SessionStore) -> None:
    order: list[str] = []
    session = store.create()

    def leave(_session: Session, event: Event) -> None:
        order.append(event.type)
        if event.type == "turn/start":
            session.append("permission/mode", {"mode": "plan"})
            store.detach(session)

    root.on(SESSION_EVENT, leave)
    root.on(SESSION_DISPOSED, lambda _session: order.append("gone"))
    session.append("turn/start", {"turn": 1, "trigger": USER})
    assert order == ["turn/start", "permission/mode", "gone"]
    assert store.list() == ()


async def test_leaving_during_the_announcement_waits_for_its_end(root: Context, store: SessionStore) -> None:
    order: list[str] = []

    def leave(session: Session) -> None:
        store.detach(session)
        order.append("told")

    root.on(SESSION_CREATED, leave)
    root.on(SESSION_DISPOSED, lambda _session: order.append("gone"))
    session = store.create()
    assert order == ["told", "gone"]
    assert session.disposed


async def test_flush_waits_for_all_and_raises_the_first_error(root: Context, store: SessionStore) -> None:
    done: list[str] = []

    async def full(_session: Session) -> None:
        raise OSError("disk full")

    async def fine(_session: Session) -> None:
        done.append("fine")

    root.on(SESSION_FLUSH, full)
    root.on(SESSION_FLUSH, fine)
    with pytest.raises(OSError, match="disk full"):
        await store.flush(store.create())
    assert done == ["fine"]


def test_a_fork_goes_on_alone_from_the_cut(store: SessionStore) -> None:
    parent = store.create(id="p", meta={"cwd": "/work"})
    whole_turn(parent, "one", "first")
    cut = len(parent.events) - 1
    whole_turn(parent, "two", "second")
    child = store.fork("p", cut, new_id="c")
    assert child.header["parentSession"] == "p"
    assert child.header["seedLength"] == child.first_live_seq == cut + 1
    assert child.header["cwd"] == "/work"
    assert child.derive() == parent.derive()[:2]
    whole_turn(child, "other", "way")
    assert len(store.fork("p").derive()) == 4
    grandchild = store.create(meta=child.header, id="resumed", seed=child.events)
    assert grandchild.header["seedLength"] == cut + 1


@pytest.mark.parametrize(
    ("boundary", "code"),
    [(99, "INVALID_BOUNDARY"), (-1, "INVALID_BOUNDARY"), (0, "OPEN_TURN"), (2, "OPEN_TURN")],
)
def test_a_fork_cuts_only_between_turns(store: SessionStore, boundary: int, code: str) -> None:
    whole_turn(store.create(id="p"), "one", "first")
    with pytest.raises(StoreError) as caught:
        store.fork("p", boundary)
    assert caught.value.code == code
    assert len(store.list()) == 1


async def test_a_fork_needs_a_live_parent_and_a_free_id(root: Context, store: SessionStore) -> None:
    codes: list[str] = []

    def try_fork(id_: str, new_id: str | None = None) -> None:
        with pytest.raises(StoreError) as caught:
            store.fork(id_, new_id=new_id)
        codes.append(caught.value.code)

    root.on(SESSION_CREATED, lambda session: try_fork(session.id))
    store.create(id="p")
    try_fork("nobody")
    try_fork("p", "p")
    assert codes == ["NOT_LIVE", "SESSION_NOT_FOUND", "ALREADY_EXISTS"]


def test_an_empty_session_can_be_forked(store: SessionStore) -> None:
    store.create(id="p")
    assert [event.type for event in store.fork("p").events] == ["session/end-seed"]


async def test_unloading_the_store_ends_its_sessions(root: Context, clock: FakeClock) -> None:
    fiber = root.plugin(plugin, clock)
    await fiber
    session = root[SESSIONS].create()
    await fiber.dispose()
    assert session.disposed
