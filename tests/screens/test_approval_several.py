"""Several questions: their order, where they come from, and what never happens to them by accident."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from textual import events

from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView
from dsh_tui.screens.full_view import FullView
from tests.fakes.dock_scene import Scene, dangerous, git_log, scene
from tests.fakes.fake_chat import command_approval, edit_approval

YES = AnswerIntent(allowed=True)


def call(number: int, **rest: object) -> ApprovalView:
    asked = command_approval(f"a{number}", f"touch c{number}")
    return replace(asked, session_id="s1", place=(number, 3), **rest)  # type: ignore[arg-type] # its fields


def elsewhere(identity: str = "a9") -> ApprovalView:
    asked = command_approval(identity, f"touch {identity}")
    return replace(
        asked, session_id="s9", session_title="Fix tests", agent="main agent › explore", place=(1, 2)
    )


def shown_id(it: Scene) -> str:
    assert it.dock.pending is not None
    return it.dock.pending.id


async def test_its_place_in_the_step_and_what_waits_elsewhere_are_counted() -> None:
    async with scene(call(2)) as it:
        assert "2 of 3" in str(it.dock.border_title)
        assert "elsewhere" not in str(it.dock.border_title)
        it.bridge.change(approvals=(call(2), elsewhere()))
        await it.press()
        assert "2 of 3, 1 elsewhere" in str(it.dock.border_title)
        assert "main agent · payments-api" in str(it.dock.border_title)


async def test_the_calls_of_a_step_are_asked_one_after_the_other_whatever_comes_between() -> None:
    """While the first is shown, another session asks; the dialog stays, and the order is kept."""
    async with scene(call(1), call(2)) as it:
        await it.armed()
        it.bridge.change(approvals=(call(1), call(2), elsewhere()))
        await it.press()
        assert shown_id(it) == "a1"
        assert it.dock.armed
        await it.press("y")
        assert it.answers == [YES]
        assert shown_id(it) == "a2"
        assert not it.dock.armed
        await it.quiet(0.43)
        await it.press("n")
        assert shown_id(it) == "a9"
        assert "in “Fix tests” · main agent › explore" in str(it.dock.border_title)
        assert it.answers == [YES, AnswerIntent(allowed=False)]


async def test_another_session_and_back_decides_nothing_and_shows_the_same_question() -> None:
    async with scene(call(2)) as it:
        await it.armed()
        text = it.shown
        there = replace(call(2), session_title="Fix the flaky retry test")
        it.bridge.change(session_id="s2", generation=2, approvals=(there,))
        await it.press("y")
        assert it.answers == []
        assert "in “Fix the flaky retry test”" in str(it.dock.border_title)
        it.bridge.change(session_id="s1", generation=3, approvals=(call(2),))
        await it.press()
        assert it.shown == text
        assert it.answers == []
        assert not it.dock.armed


async def test_the_session_that_was_gone_to_asks_first() -> None:
    async with scene(call(1)) as it:
        own = replace(command_approval("a5", "own"), session_id="s2")
        it.bridge.change(
            session_id="s2", generation=2, approvals=(own, replace(call(1), session_title="The other"))
        )
        await it.press()
        assert shown_id(it) == "a5"


@pytest.mark.parametrize("keys", [["f1"], ["ctrl+x", "l"], ["f"]], ids=["help", "sessions", "full view"])
async def test_detours_decide_nothing(keys: list[str]) -> None:
    async with scene(call(2)) as it:
        await it.armed()
        text = it.shown
        await it.press(*keys)
        assert it.app.screen is not it.app.chat
        await it.press("1", "escape", "escape")
        assert it.answers == []
        assert it.shown == text
        assert not it.dock.armed


async def test_a_storm_of_sizes_and_focus_disarms_and_decides_nothing() -> None:
    sizes = [(40, 10), (10, 3), (120, 40), (200, 20), (31, 11), (80, 24), (40, 12), (1, 1), (80, 24)]
    async with scene(call(2), call(3)) as it:
        await it.armed()
        text = it.shown
        for at, (width, height) in enumerate(sizes):
            await it.pilot.resize_terminal(width, height)
            assert not it.dock.armed
            if at % 2:
                it.app.post_message(events.AppBlur())
                it.app.post_message(events.AppFocus())
                await it.press()
                assert not it.dock.armed
        await it.press()
        assert it.answers == []
        assert it.shown == text
        await it.quiet(0.43)
        await it.press("y")
        assert it.answers == [YES]


@pytest.mark.parametrize("open_with", [[], ["2"], ["5"]], ids=["answers", "rule", "refusal"])
async def test_a_call_that_was_settled_elsewhere_leaves_at_once(open_with: list[str]) -> None:
    async with scene(git_log()) as it:
        await it.armed()
        await it.press(*open_with)
        it.bridge.change(approvals=())
        await it.press()
        assert not it.dock.display
        assert it.app.focused is it.app.chat.composer
        await it.quiet(0.43)
        await it.press("1", "enter")
        assert it.answers == []


async def test_the_next_question_never_takes_what_was_meant_for_the_one_that_left() -> None:
    async with scene(git_log("a1"), dangerous("a2")) as it:
        await it.armed()
        await it.press("2")
        await it.quiet(0.43)
        it.bridge.change(approvals=(dangerous("a2"),))
        await it.press("1")
        assert it.answers == []
        assert "Run a command?" in str(it.dock.border_title)
        assert it.draft == "1"


async def test_a_full_view_of_a_call_that_left_says_so_and_counts_for_nothing() -> None:
    async with scene(dangerous("a1")) as it:
        await it.armed()
        await it.press("f")
        assert isinstance(it.app.screen, FullView)
        it.bridge.change(approvals=(dangerous("a2"),))
        await it.press("escape")
        assert "no longer waits" in it.said
        await it.quiet(0.43)
        await it.press("1")
        assert it.answers == []


async def test_a_reason_is_kept_for_its_own_question() -> None:
    async with scene(call(1), call(2)) as it:
        await it.armed()
        await it.press("5", *"half a")
        it.bridge.change(session_id="s2", generation=2, approvals=(elsewhere(), call(1)))
        await it.press()
        assert shown_id(it) == "a9"
        assert it.draft == ""
        it.bridge.change(session_id="s1", generation=3, approvals=(call(1), call(2)))
        await it.press()
        await it.quiet(0.43)
        await it.press("5")
        assert it.dock._entry.text == "half a"


async def test_forty_calls_at_once_are_answered_one_by_one_in_their_order() -> None:
    asked = tuple(edit_approval(f"b{n}") if n % 3 else command_approval(f"b{n}") for n in range(40))
    async with scene(*asked) as it:
        await it.armed()
        for number in range(40):
            assert shown_id(it) == f"b{number}"
            if number < 39:
                assert f"1 of {40 - number}" in str(it.dock.border_title)
            assert it.dock.armed
            it.app.post_message(events.Key("y", "y"))
            while len(it.answers) == number:
                await asyncio.sleep(0)
            assert not it.dock.armed
            it.hands.pass_(0.43)
        assert [answered[1] for answered in it.bridge.asked] == [one.id for one in asked]
        await it.press()
        assert not it.dock.display


async def test_calls_that_come_and_go_while_a_person_types_decide_nothing() -> None:
    asked = [command_approval(f"b{n}") for n in range(40)]
    async with scene(asked[0]) as it:
        await it.quiet(0.71)
        assert it.dock.has_focus
        for number, key in enumerate("1y2n3f45" * 2):
            it.bridge.change(approvals=tuple(asked[number : number + 3]))
            await it.pilot.press(key)
        await it.press("enter")
        assert it.answers == []
        assert ("send", "1y2n3f45" * 2) in it.bridge.asked
