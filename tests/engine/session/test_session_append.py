from __future__ import annotations

from collections.abc import Callable

import pytest

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.session.errors import InvalidEventError, SeedError, SessionDisposedError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.session import END_SEED, Session
from tests.fakes.fake_clock import FakeClock
from tests.fakes.session_logs import (
    NOON,
    USER,
    answer,
    bare_session,
    close_turn,
    open_step,
    open_turn,
    stream,
    text,
    whole_turn,
)


def heard(listener: Callable[[Session, Event], None]) -> Session:
    return Session(new_header("s1", NOON, {}), clock=FakeClock(NOON), publish=listener)


def test_seq_is_the_position_and_time_is_the_clocks() -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi", "h", "i")
    assert [event.seq for event in session.events] == list(range(len(session.events)))
    assert {event.time for event in session.events} == {NOON}
    assert [event.type for event in session.events][-2:] == ["step/end", "turn/end"]


def test_what_was_passed_in_can_change_without_changing_the_log() -> None:
    session = bare_session()
    open_turn(session, "one")
    content = text("two")
    data = {"id": "u2", "content": content, "source": USER}
    event = session.append("context/message", data)
    content.append(text("three")[0])
    data["id"] = "other"
    assert event.data["id"] == "u2"
    assert session.derive()[-1]["content"] == (text_block("two"),)
    with pytest.raises(TypeError):
        event.data["id"] = "x"


def test_cursors_follow_turns_and_steps() -> None:
    session = bare_session()
    assert (session.last_turn, session.open_turn, session.open_step) == (0, None, None)
    open_turn(session, "hello")
    open_step(session, 1)
    assert (session.last_turn, session.open_turn, session.open_step, session.last_step) == (1, 1, 1, 1)
    answer(session, "hi")
    close_turn(session)
    assert (session.last_turn, session.open_turn, session.open_step) == (1, None, None)


@pytest.mark.parametrize(
    ("tag", "data", "words"),
    [
        ("todo/write", {"todos": []}, "no turn is open"),
        ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}, "no turn is open"),
        ("step/start", {"turn": 1, "step": 1}, "no turn is open"),
        ("turn/start", {"turn": 1, "trigger": USER}, "turn 1 has been already"),
    ],
)
def test_outside_a_turn_only_a_new_turn_may_begin(tag: str, data: dict[str, object], words: str) -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi")
    length = len(session.events)
    with pytest.raises(InvalidEventError, match=words):
        session.append(tag, data)
    assert len(session.events) == length


@pytest.mark.parametrize(
    ("tag", "data", "words"),
    [
        ("turn/start", {"turn": 2, "trigger": USER}, "turn 1 is still open"),
        ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}, "step 1 is still open"),
        ("step/start", {"turn": 1, "step": 2}, "step 1 is still open"),
        ("step/end", {"turn": 1, "step": 2}, "the open turn and step are"),
        ("tool/call", {"turn": 1, "step": 2, "callId": "c", "name": "n", "arguments": ""}, "the open turn"),
    ],
)
def test_steps_and_turns_nest(tag: str, data: dict[str, object], words: str) -> None:
    session = bare_session()
    open_turn(session, "hello")
    open_step(session)
    with pytest.raises(InvalidEventError, match=words):
        session.append(tag, data)


def test_a_chunk_needs_its_step_open() -> None:
    session = bare_session()
    chunk = freeze({"type": "text-delta", "index": 0, "text": "x"})
    with pytest.raises(InvalidEventError, match="is not open"):
        session.append_chunk(1, 1, chunk)  # type: ignore[arg-type]  # valid by shape
    assert len(session.events) == 0


def test_events_appended_by_a_listener_are_published_after_the_current_one() -> None:
    seen: list[str] = []

    def listen(session: Session, event: Event) -> None:
        if event.type == "turn/start":
            again = session.append("permission/mode", {"mode": "plan"})
            assert session.events[again.seq] is again
        seen.append(event.type)

    session = heard(listen)
    session.append("turn/start", {"turn": 1, "trigger": USER})
    session.append("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    assert seen == ["turn/start", "permission/mode", "turn/end"]
    assert [event.type for event in session.events] == seen


def test_a_listener_that_raises_leaves_the_log_usable() -> None:
    seen: list[int] = []

    def listen(session: Session, event: Event) -> None:
        seen.append(event.seq)
        if event.seq == 0:
            session.append("permission/mode", {"mode": "plan"})
            raise KeyboardInterrupt

    session = heard(listen)
    with pytest.raises(KeyboardInterrupt):
        session.append("turn/start", {"turn": 1, "trigger": USER})
    session.append("permission/mode", {"mode": "ask"})
    assert seen == [0, 1, 2]


def test_a_disposed_session_takes_nothing() -> None:
    session = bare_session()
    open_turn(session, "hello")
    open_step(session)
    session.dispose()
    with pytest.raises(SessionDisposedError):
        session.append("todo/write", {"todos": []})
    with pytest.raises(InvalidEventError, match="has ended"):
        stream(session, "x")


def test_events_are_a_live_view_that_cannot_be_written() -> None:
    session = bare_session()
    events = session.events
    open_turn(session, "hello")
    open_step(session)
    stream(session, "a", "b", "c", "d")
    assert len(events) == 7
    assert events[-1] == events[6] == list(events)[6]
    assert events[6].data["chunk"]["text"] == "d"
    assert [event.seq for event in events[4:6]] == [4, 5]
    assert not hasattr(events, "append")
    with pytest.raises(TypeError):
        events[0] = events[1]  # type: ignore[index]  # that is the point


def test_a_seed_is_copied_unheard_and_marked() -> None:
    parent = bare_session()
    whole_turn(parent, "hello", "hi", "h", "i", "!")
    seen: list[Event] = []
    child = Session(
        new_header("s2", NOON, {}),
        clock=FakeClock(NOON + 5),
        publish=lambda _session, event: seen.append(event),
        seed=parent.events,
    )
    assert list(child.events)[:-1] == list(parent.events)
    assert (child.events[-1].type, child.events[-1].time) == (END_SEED, NOON + 5)
    assert child.first_live_seq == len(parent.events)
    assert child.derive() == parent.derive()
    assert seen == []
    whole_turn(child, "more", "fine")
    assert len(seen) == 6
    assert len(parent.events) == child.first_live_seq


def test_a_seed_that_ends_with_the_mark_gets_no_second_one() -> None:
    first = bare_session(seed=[])
    assert [event.type for event in first.events] == [END_SEED]
    second = bare_session(seed=first.events)
    assert [event.type for event in second.events] == [END_SEED]
    assert (first.first_live_seq, second.first_live_seq) == (0, 1)


def test_a_seed_with_a_hole_or_a_bad_event_is_refused() -> None:
    parent = bare_session()
    whole_turn(parent, "hello", "hi")
    events = list(parent.events)
    with pytest.raises(SeedError, match="seq 2 where 1 belongs"):
        bare_session(seed=[events[0], *events[2:]])
    with pytest.raises(SeedError, match="seed event 0"):
        bare_session(seed=[Event("turn/start", 0, NOON, freeze({"turn": 1}))])
    with pytest.raises(SeedError, match="marker"):
        bare_session(seed=[events[0], Event("user/message", 1, NOON, events[1].data)])
    with pytest.raises(SeedError, match="is not registered"):
        bare_session(seed=[Event("gone/type", 0, NOON, freeze({}))])


def test_a_seed_keeps_ignorable_events_that_nobody_knows() -> None:
    stranger = Event("gone/type", 0, NOON, freeze({"x": 1}), ignorable=True)
    session = bare_session(seed=[stranger])
    assert session.events[0] == stranger


def test_mutable_seed_data_is_frozen_on_the_way_in() -> None:
    data = {"turn": 1, "trigger": {"kind": "message"}}
    session = bare_session(seed=[Event("turn/start", 0, NOON, data)])
    data["turn"] = 9
    assert session.events[0].data["turn"] == 1


def test_idle_writers_get_a_turn_of_their_own() -> None:
    session = bare_session()
    event = append_idle(session, "title", "session/title", {"title": "T", "source": "user"})
    assert event.type == "session/title"
    assert [each.type for each in session.events] == ["turn/start", "session/title", "turn/end"]
    assert session.events[0].data["trigger"]["kind"] == "title"


def test_idle_writers_join_an_open_turn() -> None:
    session = bare_session()
    open_turn(session, "hello")
    append_idle(session, "title", "session/title", {"title": "T", "source": "user"})
    assert session.open_turn == 1
    assert session.events[-1].type == "session/title"


def test_an_idle_writer_with_bad_data_leaves_no_turn_behind() -> None:
    session = bare_session()
    with pytest.raises(InvalidEventError):
        append_idle(session, "title", "session/title", {"title": 3})
    assert len(session.events) == 0


def test_rows_of_a_growing_log_do_not_grow_behind_the_readers_back() -> None:
    session = bare_session()
    open_turn(session, "hello")
    open_step(session)
    stream(session, "a", "b", "c")
    stop = len(session.events)
    rows = list(session.events.rows(0, stop))
    stream(session, "d")
    assert len(EventLog.of(rows)) == stop
    assert list(EventLog.of(rows)) == list(session.events)[:stop]
    call_free = session.events.prefix(stop)
    assert list(call_free) == list(session.events)[:stop]
