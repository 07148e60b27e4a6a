from __future__ import annotations

from dataclasses import replace

import pytest

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.verify import verify_log
from tests.fakes.session_logs import NOON, answer, bare_session, call, open_step, open_turn, result, stream


def sound_session() -> Session:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    stream(session, "a", "b", "c")
    answer(session, "", "c1", "c2")
    call(session, "c1")
    result(session, "c1")
    return session


def test_sound_logs_open_and_closed_pass() -> None:
    session = sound_session()
    assert verify_log(session.events) is None
    assert verify_log([*session.events, *closers(session.events)]) is None
    assert verify_log(EventLog([])) is None


@pytest.mark.parametrize(
    ("at", "change", "rule"),
    [
        (3, {"seq": 9}, "seq 9 stands where 3 belongs"),
        (0, {"data": freeze({"turn": 1})}, "trigger is missing"),
        (1, {"surface_op": None}, "marker is missing"),
        (6, {"source_event_seqs": (6,)}, "earlier than 6"),
        (2, {"data": freeze({"turn": 2, "step": 1})}, "turn 1 is the open one"),
        (8, {"type": "no/such"}, "not registered"),
    ],
)
def test_the_first_broken_rule_is_named(at: int, change: dict[str, object], rule: str) -> None:
    events = list(sound_session().events)
    events[at] = replace(events[at], **change)  # type: ignore[arg-type]  # fields by name
    violation = verify_log(events)
    assert violation is not None
    assert violation.seq == change.get("seq", at)
    assert rule in violation.rule


def test_a_result_answers_a_call_of_its_step_once() -> None:
    session = sound_session()
    result(session, "c2")
    violation = verify_log(session.events)
    assert violation is not None
    assert (violation.seq, "c2, which did not begin" in violation.rule) == (len(session.events) - 1, True)
    again = sound_session()
    result(again, "c1")
    violation = verify_log(again.events)
    assert violation is not None
    assert "has a result already" in violation.rule


def test_an_event_outside_every_turn_is_found() -> None:
    todo = Event("todo/write", 0, NOON, freeze({"todos": []}))
    violation = verify_log([todo])
    assert violation is not None
    assert violation.rule == "todo/write: no turn is open"
