"""What the check of compactions refuses of prunings and retries, before it is in the log."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.engine.invariants import plugin as invariants_plugin
from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session import plugin as sessions_plugin
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from tests.fakes.fake_clock import FakeClock
from tests.fakes.session_logs import answer, call, close_turn, open_step, open_turn, result, text

ONE = {"compactionId": "c1"}
PRUNE = {**ONE, "results": 1, "tokensBefore": 9, "tokensAfter": 3}
WAIT = {**ONE, "retry": 1, "delayMs": 5, "failure": {"code": "SERVER", "message": "no"}}


@pytest.fixture
async def session(root: Context, clock: FakeClock) -> Session:
    """One call with its result, and a compaction that was begun in the next turn."""
    await root.plugin(sessions_plugin, clock)
    session = root[SESSIONS].create(id="s1")
    open_turn(session, "go")
    open_step(session)
    answer(session, "", "call-1")
    call(session, "call-1")
    result(session, "call-1", "long")
    close_turn(session)
    open_turn(session, "go on")
    await root.plugin(invariants_plugin)
    session.append("compact/start", {**ONE, "trigger": "overflow"})
    return session


def shorten(session: Session, *more: int) -> None:
    """Replace the result by a shorter one that cites it, and these."""
    place, whole = next(
        (place, node) for place, node in enumerate(session.surface) if node.type == "tool/result"
    )
    session.append(
        "tool/result",
        {**whole.data, "content": text("s")},
        surface={"op": "replace", "start": place, "end": place},
        sources=(*more, whole.seq),
    )


def end(session: Session, outcome: str) -> None:
    session.append("compact/end", {**ONE, "outcome": outcome})


def test_a_pruning_that_does_what_it_tells_is_a_compaction_that_is_done(session: Session) -> None:
    told = session.append("compact/prune", PRUNE)
    shorten(session, told.seq)
    end(session, "done")


def test_retries_are_counted(session: Session) -> None:
    session.append("compact/retry", WAIT)
    with pytest.raises(InvariantError, match="retry 3 follows 1"):
        session.append("compact/retry", {**WAIT, "retry": 3})
    session.append("compact/retry", {**WAIT, "retry": 2})
    end(session, "failed")


def test_a_replacement_by_somebody_else_is_none_of_its_business(session: Session) -> None:
    shorten(session)
    end(session, "cancelled")


@pytest.mark.parametrize(
    ("tag", "data", "rule"),
    [
        ("compact/end", {**ONE, "outcome": "done"}, "1 results were to be shortened"),
        ("compact/prune", PRUNE, "1 results were to be shortened"),
        ("compact/prune", {**PRUNE, "compactionId": "c2"}, "c2 is not open"),
    ],
)
def test_what_was_told_and_not_done_is_refused(
    session: Session, tag: str, data: dict[str, Any], rule: str
) -> None:
    session.append("compact/prune", PRUNE)
    with pytest.raises(InvariantError, match=rule):
        session.append(tag, data)


def test_what_was_done_and_not_told_is_refused(session: Session) -> None:
    told = session.append("compact/prune", PRUNE)
    shorten(session, told.seq)
    with pytest.raises(InvariantError, match="more results are shortened"):
        shorten(session, told.seq)
    with pytest.raises(InvariantError, match="once and first"):
        session.append("compact/prune", PRUNE)


def test_without_anything_done_it_is_not_done(session: Session) -> None:
    with pytest.raises(InvariantError, match="nothing was"):
        end(session, "done")
