"""Attempts in a log: which of them left, and so are requests."""

from __future__ import annotations

import pytest

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import answer, bare_session, close_turn, open_step, open_turn, stream

CONFIG = {"provider": "deepseek", "model": "deepseek-flash"}
RETRY = {"retryId": "r1", "turn": 1, "step": 1}


def asked() -> Session:
    """A session whose first request is about to leave."""
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    session.append("request/header", {"header": {"config": CONFIG}, "reason": "initial"})
    return session


def fail(session: Session, kind: str = "error", **more: object) -> None:
    failure = {"message": "no", "code": "TRANSPORT", **more}
    chunk = {"type": "finish", "reason": {"kind": kind, "failure": failure}}
    session.append_chunk(1, 1, freeze(chunk))  # type: ignore[arg-type]  # valid by shape


def attempts(session: Session) -> list[tuple[int, int, int]]:
    return [(one.turn, one.step, one.attempt) for one in rebuild_requests(session.events)]


def test_each_attempt_that_left_is_a_request_with_the_same_messages() -> None:
    session = asked()
    fail(session)
    session.append("context/message", {"id": "c", "content": [], "source": {"kind": "plugin"}})
    fail(session)
    stream(session, "a", "b")
    assert attempts(session) == [(1, 1, 1), (1, 1, 2), (1, 1, 3)]
    first, second, third = rebuild_requests(session.events)
    assert first.messages == second.messages == third.messages


@pytest.mark.parametrize("kind", ["error", "aborted"])
def test_an_attempt_that_never_left_is_counted_but_is_no_request(kind: str) -> None:
    session = asked()
    fail(session, kind, unsent=True)
    stream(session, "a")
    assert attempts(session) == [(1, 1, 2)]


def test_a_step_that_was_stopped_before_its_request_has_none() -> None:
    session = asked()
    close_turn(session, "aborted")
    assert attempts(session) == []


@pytest.mark.parametrize("repaired", [False, True])
def test_a_request_whose_answer_a_crash_cut_off_may_have_left_and_is_listed(repaired: bool) -> None:
    session = asked()
    events = [*session.events, *(closers(session.events) if repaired else ())]
    assert [one.attempt for one in rebuild_requests(events)] == [1]
    fail(session)
    session.append("llm/retry-started", RETRY)
    events = [*session.events, *(closers(session.events) if repaired else ())]
    assert [one.attempt for one in rebuild_requests(events)] == [1, 2]
    stream(session, "a")
    answer(session, "a")
    events = [*session.events, *(closers(session.events) if repaired else ())]
    assert [one.attempt for one in rebuild_requests(events)] == [1, 2]
