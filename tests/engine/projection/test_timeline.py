from __future__ import annotations

from itertools import pairwise

import pytest

from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.projection import timeline as timeline_module
from dsh_tui.engine.projection.requests import RequestBook
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.timeline import SHOWN, SPREAD, Timeline
from dsh_tui.engine.projection.views import NoticeView
from dsh_tui.engine.session.fork import fork_seed
from dsh_tui.engine.session.idle import append_idle
from tests.fakes.history_log import HEADER, history, seqs
from tests.fakes.session_logs import bare_session, whole_turn


@pytest.mark.parametrize("every", [1, 7, 1_000])
def test_any_point_is_what_the_screen_showed_then(every: int) -> None:
    log = history()
    timeline = Timeline(HEADER, log, every=every)
    for seq in range(len(log)):
        fold = SessionFold(HEADER)
        fold.apply_all(log.prefix(seq + 1))
        shown = fold.view().at_rest(keep_approvals=True)
        point = timeline.at(seq)
        assert list(point.view.blocks) == list(shown.blocks)
        assert (point.view.todos, point.view.status) == (shown.todos, shown.status)
        assert point.time == log[seq].time


def test_points_can_be_taken_in_any_order_and_again() -> None:
    log = history()
    timeline = Timeline(HEADER, log, every=5)
    seqs_ = [len(log) - 1, 3, 40, 3, len(log) - 1]
    points = [timeline.at(seq) for seq in seqs_]
    assert points[0] == points[4]
    assert points[1] == points[3]


def test_a_fork_snaps_to_the_last_end_of_a_turn() -> None:
    log = history()
    timeline = Timeline(HEADER, log)
    ends = seqs(log, "turn/end")
    assert timeline.at(ends[0] - 1).fork_at is None
    for place, end in enumerate(ends):
        point = timeline.at(end)
        assert (point.fork_at, point.fork_turn) == (end, place + 1)
        if end + 3 < len(log):
            assert timeline.at(end + 3).fork_at == end
        fork_seed(log, point.fork_at)


def test_turns_are_stepped_through_from_anywhere() -> None:
    log = history()
    timeline = Timeline(HEADER, log)
    starts = seqs(log, "turn/start")
    assert timeline.turns == len(starts) == 6
    at = timeline.moment_at(starts[1] + 2)
    assert timeline.moments[timeline.turn_from(at, 1)].seq == starts[2]
    back = timeline.turn_from(at, -1)
    assert timeline.moments[back].seq == starts[1]
    assert timeline.moments[timeline.turn_from(back, -1)].seq == starts[0]
    assert timeline.turn_from(0, -1) == 0
    last = len(timeline.moments) - 1
    assert timeline.turn_from(last, 1) == last


def test_streamed_text_is_one_moment() -> None:
    log = history()
    timeline = Timeline(HEADER, log)
    assert sum(moment.deltas or 1 for moment in timeline.moments) == len(log)
    assert any(moment.deltas > 3 for moment in timeline.moments)
    for index, moment in enumerate(timeline.moments):
        assert timeline.moment_at(moment.seq) == index


def test_of_a_long_session_the_newest_blocks_are_shown() -> None:
    session = bare_session()
    for number in range(SHOWN):
        whole_turn(session, f"say {number}", "yes", "y", "e", "s")
    timeline = Timeline(session.header, session.events, every=50)
    blocks = timeline.at(len(session.events) - 1).view.blocks
    assert len(blocks) == SHOWN + 1
    assert blocks[0] == NoticeView(seq=0, tone="info", text="600 earlier blocks are not shown here.")
    assert timeline_module.EVERY >= 100


def test_an_empty_log_has_no_moment() -> None:
    assert Timeline({}, []).moments == []


def test_no_point_is_far_from_a_checkpoint() -> None:
    session = bare_session()
    for number in range(300):
        whole_turn(session, f"say {number}", "yes", "y", "e", "s")
    timeline = Timeline(session.header, session.events, every=50)
    lengths = [*timeline._lengths, timeline.length]
    rows = [len(list(session.events.rows(start, end))) for start, end in pairwise(lengths)]
    assert max(rows) <= 50 + len(timeline.moments) // SPREAD + 8
    assert rows[0] <= 50 + 8


@pytest.mark.parametrize("every", [1, 2, 4])
def test_a_mode_that_was_only_passed_is_there_at_its_own_point(every: int) -> None:
    session = bare_session()
    whole_turn(session, "hi", "yes")
    for mode in ("edits", "plan", "sandbox"):
        append_idle(session, "permission-mode", "permission/mode", {"mode": mode})
    timeline = Timeline(session.header, session.events, every=every)
    for seq in range(len(session.events)):
        fold = SessionFold(session.header)
        fold.apply_all(session.events.prefix(seq + 1))
        assert list(timeline.at(seq).view.blocks) == list(fold.view().blocks)


@pytest.mark.parametrize("lost", range(0, 100, 9))
def test_a_damaged_log_with_a_gap_has_points_and_requests_too(lost: int) -> None:
    left = [event for event in history() if not lost <= event.seq < lost + 2]
    timeline = Timeline(HEADER, left, every=5)
    for at in range(timeline.length):
        fold = SessionFold(HEADER)
        fold.apply_all(left[: at + 1])
        point = timeline.at(at)
        assert (point.time, timeline.event(at).data) == (left[at].time, left[at].data)
        assert point.view.status == fold.view().at_rest(keep_approvals=True).status
    book = RequestBook(left, request_body, "s1")
    assert [book.view(row.index).row for row in book.rows] == list(book.rows)
