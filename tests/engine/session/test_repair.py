from __future__ import annotations

from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import (
    answer,
    bare_session,
    call,
    open_step,
    open_turn,
    result,
    stream,
    whole_turn,
)


def repaired(session: Session) -> Session:
    ending = closers(session.events)
    return bare_session(seed=EventLog([*session.events.slots(), *ending]))


def test_a_log_that_ends_well_needs_nothing() -> None:
    session = bare_session()
    assert closers(session.events) == ()
    whole_turn(session, "hello", "hi")
    assert closers(session.events) == ()


def test_a_turn_without_a_step_is_closed() -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi")
    open_turn(session, "more")
    (end,) = closers(session.events)
    assert (end.type, end.seq, end.time) == ("turn/end", len(session.events), session.events[-1].time)
    assert end.data == {"turn": 2, "reason": {"kind": "interrupted"}}


def test_a_step_cut_in_mid_stream_is_closed_and_keeps_its_chunks() -> None:
    session = bare_session()
    open_turn(session, "hello")
    open_step(session)
    stream(session, "I", " was", " about")
    assert [event.type for event in closers(session.events)] == ["step/end", "turn/end"]
    assert [event.type for event in repaired(session).events].count("assistant/chunk") == 3


def test_unanswered_calls_get_error_results_in_the_models_order() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    answer(session, "", "done", "running", "waiting")
    call(session, "done")
    result(session, "done")
    started = call(session, "running")
    unknown, not_started, step_end, turn_end = closers(session.events)
    assert (unknown.data["callId"], unknown.data["error"]) == (
        "running",
        {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"},
    )
    assert unknown.source_event_seqs == (started.seq,)
    assert "Verify" in unknown.data["content"][0]["text"]
    assert (not_started.data["callId"], not_started.data["error"]["code"]) == ("waiting", "TOOL_NOT_STARTED")
    assert not_started.source_event_seqs is None
    assert (step_end.type, turn_end.type) == ("step/end", "turn/end")


def test_earlier_steps_of_the_turn_are_left_alone() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session, 1)
    answer(session, "", "c1")
    call(session, "c1")
    result(session, "c1")
    session.append("step/end", {"turn": 1, "step": 1})
    open_step(session, 2)
    assert [event.type for event in closers(session.events)] == ["step/end", "turn/end"]


def test_a_repaired_log_can_be_resumed_and_every_call_is_answered() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    answer(session, "", "c1", "c2")
    call(session, "c1")
    again = repaired(session)
    assert again.open_turn is None
    answered = [block["toolCallId"] for message in again.derive()[2:] for block in message["content"]]  # type: ignore[typeddict-item]  # result blocks
    assert answered == ["c1", "c2"]
    assert closers(again.events) == ()
    whole_turn(again, "on", "and on")


def test_the_same_log_gets_the_same_closers() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    answer(session, "", "c1")
    assert closers(session.events) == closers(list(session.events))


def test_events_after_the_last_turn_are_no_crash_garbage() -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi")
    close_free = [*session.events, *bare_session(seed=[]).events]
    assert closers(close_free) == ()
