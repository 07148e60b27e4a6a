from __future__ import annotations

from dsh_tui.bridge.session_history import SessionHistory
from tests.fakes.history_log import HEADER, history
from tests.fakes.session_logs import bare_session, whole_turn


async def test_what_was_read_is_kept_until_the_log_has_grown() -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi", "h", "i")
    past = SessionHistory(session.header, session.events)
    timeline, book = await past.timeline(), await past.requests()
    assert await past.timeline() is timeline
    assert await past.requests() is book
    whole_turn(session, "more", "yes")
    later = await past.timeline()
    assert later is not timeline
    assert (timeline.turns, later.turns) == (1, 2)
    assert await past.requests() is not book


async def test_a_timeline_stays_as_it_was_while_its_log_grows() -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi", "h", "i")
    timeline = await SessionHistory(session.header, session.events).timeline()
    end = timeline.length - 1
    before = timeline.at(end)
    whole_turn(session, "more", "yes", "y")
    assert timeline.at(end) == before
    assert timeline.at(len(session.events) - 1) == before


async def test_requests_are_those_of_the_shown_session() -> None:
    book = await SessionHistory(HEADER, history()).requests()
    assert [row.turn for row in book.rows] == [1, 1, 1, 1, 2, 3, 4, 5, 6]
