from __future__ import annotations

from dataclasses import replace

import pytest
from textual import events

from dsh_tui.engine.projection.views import AnswerIntent
from dsh_tui.widgets.approval_words import CHOOSE_FIRST
from dsh_tui.widgets.refusal_entry import RefusalEntry
from tests.fakes.dock_scene import scene
from tests.fakes.fake_bridge import Asked
from tests.fakes.fake_chat import command_approval, edit_approval


async def test_it_stands_above_the_composer_and_takes_no_focus_after_a_key() -> None:
    async with scene() as it:
        assert it.dock.region.bottom <= it.app.chat.composer.region.y
        assert it.app.focused is it.app.chat.composer
        await it.quiet(0.6)
        assert it.app.focused is it.app.chat.composer


async def test_with_a_draft_the_focus_stays_and_it_says_f8() -> None:
    async with scene(draft="abc") as it:
        await it.quiet(60)
        assert it.app.focused is it.app.chat.composer
        assert "F8" in str(it.dock.border_subtitle)
        await it.pilot.press("y", "enter")
        assert ("send", "abcy") in it.bridge.asked
        assert not [asked for asked in it.bridge.asked if asked[0] == "answer"]


async def test_over_an_empty_draft_it_takes_the_focus_after_700_ms_and_arms_after_425_more() -> None:
    async with scene() as it:
        await it.quiet(0.71)
        assert it.dock.has_focus
        assert not it.dock.armed
        await it.quiet(0.42)
        assert not it.dock.armed
        await it.quiet(0.01)
        assert it.dock.armed


async def test_emptying_the_draft_starts_the_wait_for_the_focus() -> None:
    async with scene(draft="a") as it:
        await it.quiet(10)
        await it.pilot.press("backspace")
        assert it.app.focused is it.app.chat.composer
        await it.quiet(0.71)
        assert it.dock.has_focus


@pytest.mark.parametrize("typed", ["try 14", "!sleep 1", "do n", "x?5f"])
async def test_what_follows_the_beginning_of_a_draft_is_no_answer_however_quickly_it_comes(
    typed: str,
) -> None:
    async with scene() as it:
        await it.armed()
        for character in typed:  # all there before the first one is acted on, as when the app was busy
            it.dock.post_message(events.Key(character, character))
        await it.pilot.pause()
        await it.pilot.pause()
        assert it.bridge.asked == []
        assert it.app.screen is it.app.chat
        assert it.app.chat.composer.text == typed


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("1", ("answer", "a2", AnswerIntent(True))),
        ("y", ("answer", "a2", AnswerIntent(True))),
        ("4", ("answer", "a2", AnswerIntent(False))),
        ("n", ("answer", "a2", AnswerIntent(False))),
    ],
)
async def test_when_armed_its_keys_answer_and_the_composer_gets_the_focus_back(
    key: str, answer: Asked
) -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press(key)
        await it.pilot.pause()
        assert it.bridge.asked == [answer]
        assert not it.dock.display
        assert it.app.focused is it.app.chat.composer


@pytest.mark.parametrize("key", ["y", "1", "n", "space"])
async def test_a_key_before_it_is_armed_is_typed_and_takes_the_focus_with_it(key: str) -> None:
    async with scene() as it:
        await it.quiet(0.71)
        assert it.dock.has_focus
        await it.quiet(0.3)
        await it.pilot.press(key)
        assert it.draft == (" " if key == "space" else key)
        assert it.app.focused is it.app.chat.composer
        await it.quiet(60)
        assert it.app.focused is it.app.chat.composer  # a draft holds it
        assert it.bridge.asked == []


async def test_enter_and_a_paste_before_it_is_armed_go_to_the_composer() -> None:
    async with scene() as it:
        await it.quiet(0.71)
        await it.pilot.press("enter")
        assert it.app.focused is it.app.chat.composer
        assert it.bridge.asked == []
        await it.quiet(0.71)
        assert it.dock.has_focus
        it.app.post_message(events.Paste("yes\ny"))
        await it.pilot.pause()
        await it.pilot.pause()
        assert it.draft == "yes\ny"
        assert it.app.focused is it.app.chat.composer
        assert it.bridge.asked == []


async def test_f8_reviews_over_a_draft_and_keeps_the_draft() -> None:
    async with scene(draft="keep me") as it:
        await it.pilot.press("f8")
        assert it.dock.has_focus
        assert not it.dock.armed
        await it.quiet(0.43)
        await it.pilot.press("y")
        await it.pilot.pause()
        assert it.bridge.asked == [("answer", "a2", AnswerIntent(True))]
        assert it.draft == "keep me"


async def test_the_focus_alone_never_arms_it() -> None:
    async with scene(draft="x") as it:
        it.dock.focus()
        await it.pilot.pause()
        it.hands.pass_(0.5)
        assert not it.dock.armed


async def test_neither_space_nor_an_unfocused_enter_answers() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("space", "enter")
        await it.pilot.pause()
        assert it.bridge.asked == []
        assert it.app.chat.said == CHOOSE_FIRST
        assert it.dock.has_focus
        assert it.draft == ""


async def test_arrows_and_enter_answer_as_digits_do() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("right", "right", "right", "right", "enter")
        await it.pilot.pause()
        assert it.bridge.asked == [("answer", "a2", AnswerIntent(False))]


async def test_focus_in_resize_and_other_content_disarm_it() -> None:
    async with scene() as it:
        await it.armed()
        it.app.post_message(events.AppFocus())
        await it.pilot.pause()
        assert not it.dock.armed
        await it.quiet(0.43)
        assert it.dock.armed
        await it.pilot.resize_terminal(100, 30)
        await it.pilot.pause()
        assert not it.dock.armed
        await it.quiet(0.43)
        assert it.dock.armed
        it.bridge.change(approvals=(command_approval(command="rm -rf /"),))
        await it.pilot.pause()
        assert not it.dock.armed


async def test_one_key_answers_one_of_several_and_the_next_must_arm_again() -> None:
    async with scene(command_approval("a1"), command_approval("a2"), edit_approval("a3")) as it:
        assert "1 of 3" in str(it.dock.border_title)
        await it.armed()
        it.bridge.change(approvals=(*it.bridge.view.approvals, command_approval("a4")))
        await it.pilot.pause()
        assert it.dock.pending is not None
        assert it.dock.pending.id == "a1"
        assert it.dock.armed
        await it.pilot.press("y", "y")
        await it.pilot.pause()
        assert it.bridge.asked == [("answer", "a1", AnswerIntent(True))]
        assert it.draft == "y"
        assert it.dock.pending.id == "a2"
        assert "1 of 3" in str(it.dock.border_title)


async def test_a_reason_is_said_and_esc_keeps_what_was_written() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("5", *"too wide")
        assert "enter denies" in str(it.dock.border_subtitle)
        await it.pilot.press("escape")
        assert it.dock.has_focus
        assert "enter denies" not in str(it.dock.border_subtitle)
        await it.quiet(0.43)
        await it.pilot.press("5", "!", "enter")
        await it.pilot.pause()
        assert it.bridge.asked == [("answer", "a2", AnswerIntent(False, "too wide!"))]


async def test_a_reason_whose_question_went_away_is_in_the_draft() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("5", *"because")
        it.bridge.change(approvals=())
        await it.pilot.pause()
        await it.pilot.pause()
        assert it.draft == "because"
        assert it.app.focused is it.app.chat.composer
        assert it.bridge.asked == []


async def test_the_full_view_and_the_explanation_decide_nothing() -> None:
    async with scene(edit_approval()) as it:
        await it.armed()
        await it.pilot.press("f")
        await it.pilot.pause()
        assert type(it.app.screen).__name__ == "FullView"
        await it.pilot.press("y", "1", "enter", "escape")
        await it.pilot.pause()
        assert it.app.screen is it.app.chat
        assert it.bridge.asked == []
        assert not it.dock.armed
        await it.armed()
        await it.pilot.press("question_mark")
        assert not it.dock.armed
        assert it.bridge.asked == []


async def test_the_full_view_shows_all_of_what_is_dangerous() -> None:
    dangers = (
        "deletes files recursively; rewrites history; changes owners recursively; runs what it downloads"
    )
    async with scene(replace(command_approval(), danger=dangers), size=(40, 24)) as it:
        await it.armed()
        await it.pilot.press("f")
        await it.pilot.pause()
        told = it.app.screen.query_one("#danger")
        assert told.size.height * told.size.width >= len(dangers)
        assert told.size.height == told.get_content_height(told.container_size, it.app.size, told.size.width)


async def test_esc_interrupts_and_answers_nothing() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("escape")
        assert it.bridge.asked == [("cancel",)]


async def test_a_detour_to_another_screen_leaves_the_question_as_it_was() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("f1")
        await it.pilot.pause()
        await it.pilot.press("y", "1", "escape")
        await it.pilot.pause()
        assert it.bridge.asked == []
        assert it.dock.pending is not None
        assert not it.dock.armed


async def test_in_a_window_too_small_to_read_it_cannot_be_answered() -> None:
    async with scene(size=(20, 5)) as it:
        await it.quiet(0.71)
        await it.quiet(0.5)
        assert not it.dock.armed
        await it.pilot.press("y")
        assert it.bridge.asked == []


async def test_markup_in_a_command_is_only_text() -> None:
    async with scene(command_approval(command="echo [/bold] [red]", description="[/x] [b]")) as it:
        await it.pilot.pause()
        assert "[/bold] [red]" in it.shown


async def test_the_reason_field_never_answers_yes() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("5")
        assert isinstance(it.app.focused, RefusalEntry)
        await it.pilot.press("enter")
        await it.pilot.pause()
        assert it.bridge.asked == [("answer", "a2", AnswerIntent(False))]


async def test_a_click_answers_only_when_armed() -> None:
    async with scene() as it:
        await it.pilot.click(it.dock._answers, offset=(4, 0))
        assert it.bridge.asked == []
        assert it.app.focused is it.app.chat.composer
        await it.armed()
        await it.pilot.click(it.dock._answers, offset=(4, 0))
        await it.pilot.pause()
        assert it.bridge.asked == [("answer", "a2", AnswerIntent(True))]
