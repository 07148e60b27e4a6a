from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView
from dsh_tui.widgets.answer_row import arranged
from dsh_tui.widgets.approval_answers import answers_to
from dsh_tui.widgets.approval_look import SMALLEST, TIGHT, card_height
from dsh_tui.widgets.approval_queue import ApprovalQueue
from dsh_tui.widgets.approval_words import asker, counter, title_line
from tests.fakes.dock_scene import dangerous, git_log, plan
from tests.fakes.fake_chat import command_approval

YES, NO = AnswerIntent(allowed=True), AnswerIntent(allowed=False)


def asked(number: int, **rest: object) -> ApprovalView:
    return replace(command_approval(f"a{number}", f"touch {number}"), **rest)  # type: ignore[arg-type] # its fields


def test_the_one_that_is_shown_stays_until_it_is_answered_or_gone() -> None:
    queue = ApprovalQueue()
    queue.show([asked(2), asked(3)], "s1")
    queue.show([asked(1), asked(2), asked(3)], "s1")
    assert queue.current == asked(2)
    queue.settled()
    assert queue.current == asked(1)
    queue.show([asked(1), asked(2), asked(3)], "s1")  # the engine has not heard of the answer yet
    assert queue.pending == (asked(1), asked(3))
    queue.show([asked(3)], "s1")
    assert queue.current == asked(3)


def test_in_another_session_its_own_question_comes_first() -> None:
    queue = ApprovalQueue()
    queue.show([asked(1)], "s1")
    queue.show([asked(5), asked(1)], "s2")
    assert queue.current == asked(5)


def test_what_is_dangerous_is_allowed_once_it_was_read_as_it_is_and_never_for_good() -> None:
    queue = ApprovalQueue()
    queue.show([dangerous()], "s1")
    assert queue.may_be(NO)
    assert not queue.may_be(YES)
    queue.note_read(dangerous())
    assert queue.may_be(YES)
    assert queue.may_be(replace(YES, rules=("allow bash(x)",), scope="session"))
    assert not queue.may_be(replace(YES, rules=("allow bash(x)",), scope="user"))
    queue.show([dangerous(command="rm -rf /")], "s1")
    assert not queue.may_be(YES)


def test_drafts_of_questions_that_are_gone_are_told_once() -> None:
    queue = ApprovalQueue()
    queue.show([asked(1), asked(2)], "s1")
    queue.refusal(asked(1)).words = "because"
    assert queue.lost_drafts() == []
    queue.show([asked(2)], "s1")
    assert queue.lost_drafts() == ["because"]
    assert queue.lost_drafts() == []


@given(
    st.lists(
        st.one_of(
            st.sets(st.integers(1, 5)).map(sorted),
            st.sampled_from(["settle", "read"]),
        ),
        max_size=30,
    )
)
def test_whatever_comes_and_goes_nothing_that_was_answered_is_shown_again(
    steps: list[list[int] | str],
) -> None:
    queue = ApprovalQueue()
    waiting: list[ApprovalView] = []
    answered: set[str] = set()
    for step in steps:
        if step == "settle":
            if queue.settled() is not None:
                answered |= {one.id for one in waiting} - {one.id for one in queue.pending}
        elif step == "read":
            if queue.current is not None:
                queue.note_read(queue.current)
        else:
            waiting = [asked(int(number)) for number in step]
            answered &= {one.id for one in waiting}
            queue.show(waiting, "s1")
        assert [one.id for one in queue.pending] == [one.id for one in waiting if one.id not in answered]
        assert (queue.current is None) == (not queue.pending)
        assert queue.current is None or queue.current in queue.pending


@pytest.mark.parametrize("approval", [git_log(), dangerous(), plan(), command_approval(command=" ")])
@pytest.mark.parametrize("width", [SMALLEST.width - 4, 36, 76, 116])
def test_all_answers_are_in_two_rows_at_most_that_fit(approval: ApprovalView, width: int) -> None:
    answers = answers_to(approval)
    rows, gap = arranged(answers, width)
    assert sum(map(len, rows)) == len(answers)
    assert len(rows) <= 2
    assert all(sum(map(cell_len, row)) + gap * (len(row) - 1) <= width for row in rows)


@pytest.mark.parametrize("wide_open", [True, False])
def test_the_card_leaves_room_for_everything_else_at_any_height(wide_open: bool) -> None:
    heights = [card_height(rows, wide_open=wide_open) for rows in range(SMALLEST.height, 60)]
    assert min(heights) >= 1
    for rows, height in enumerate(heights, SMALLEST.height):
        around = 5 + (4 if rows < TIGHT else 7)
        assert height + around <= rows
    assert all(after - before <= 1 for before, after in pairwise(heights) if before > 3)


def test_the_counter_tells_the_step_from_the_rest() -> None:
    first = asked(1, place=(1, 3), session_id="s1")
    second = asked(2, place=(2, 3), session_id="s1")
    other = asked(9, place=(1, 2), session_id="s9")
    assert counter(first, [first]) == "1 of 3"
    assert counter(first, [first, second, other]) == "1 of 3, 1 elsewhere"
    assert counter(first, [first, second, other], brief=True) == "1/3 +1"
    assert counter(asked(4), [asked(4)]) == ""
    assert counter(asked(4), [asked(3), asked(4)]) == "2 of 2"


@pytest.mark.parametrize("width", range(20, 120, 7))
def test_the_title_never_runs_over_and_says_whose_question_it_is_where_there_is_room(width: int) -> None:
    other = asked(9, session_title="Fix tests", agent="main agent › explore › read", place=(1, 2))
    title = title_line("Run a command?", other, [other], "shop", width)
    assert title.cell_length <= width
    if width > 70:
        assert title.plain.endswith("in “Fix tests” · main agent › explore › read")
    assert asker(other, "shop", brief=True) == "in “Fix tests” · explore › read"
