"""Answers beyond yes and no: rules, words, replacements, plans, and what is dangerous."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual import events

from dsh_tui.engine.projection.views import AnswerIntent, ProposalView
from tests.fakes.dock_scene import PROPOSAL, Scene, dangerous, git_log, plan, scene
from tests.fakes.fake_chat import command_approval, edit_approval

# Rules


async def test_a_rule_is_shown_whole_before_it_is_kept() -> None:
    async with scene(git_log()) as it:
        await it.armed()
        await it.press("2")
        assert it.bridge.asked == [("proposal", "a2")]
        assert "Keep a rule for this session?" in str(it.dock.border_title)
        for told in (*PROPOSAL.rules, *PROPOSAL.past, "Holds  until it ends"):
            assert told in it.shown
        assert "your own settings" not in it.shown
        await it.quiet(0.43)
        await it.press("1")
        assert it.answers == [AnswerIntent(True, rules=PROPOSAL.rules, scope="session")]


@pytest.mark.parametrize(("key", "scope"), [("1", "project"), ("2", "user")])
async def test_keeping_a_rule_for_good_asks_first_where_it_is_kept(key: str, scope: str) -> None:
    async with scene(git_log()) as it:
        await it.armed()
        await it.press("3")
        assert "kept in .dsh/settings.yaml" in it.shown
        assert "kept in your own settings" in it.shown
        await it.quiet(0.43)
        await it.press(key)
        assert it.answers == [AnswerIntent(True, rules=PROPOSAL.rules, scope=scope)]


async def test_a_preview_must_be_armed_again_and_enter_needs_a_focused_answer() -> None:
    async with scene(git_log()) as it:
        await it.armed()
        await it.press("2")
        assert not it.dock.armed
        await it.quiet(0.43)
        await it.press("enter")
        assert it.answers == []
        await it.press("right", "enter")
        assert it.answers == [AnswerIntent(True, rules=PROPOSAL.rules, scope="session")]


async def test_a_key_before_the_preview_is_armed_is_typed_and_keeps_no_rule() -> None:
    async with scene(git_log()) as it:
        await it.armed()
        await it.press("2", "1", "enter")
        assert it.answers == []
        assert ("send", "1") in it.bridge.asked
        assert it.app.focused is it.app.chat.composer
        assert "Keep a rule" in str(it.dock.border_title)  # it stays where it was


async def test_esc_goes_back_to_the_answers_and_decides_nothing() -> None:
    async with scene(git_log()) as it:
        await it.armed()
        await it.press("3")
        await it.quiet(0.43)
        await it.press("escape")
        assert "Run a command?" in str(it.dock.border_title)
        assert not it.dock.armed
        assert it.bridge.asked == [("proposal", "a2")]


async def test_where_no_rule_can_be_offered_it_says_why_and_only_leads_back() -> None:
    async with scene(git_log()) as it:
        it.bridge.proposals = {"a2": ProposalView(why_not="`eval` runs what nobody can read")}
        await it.armed()
        await it.press("3")
        assert "`eval` runs what nobody can read" in it.shown
        await it.quiet(0.43)
        await it.press("1", "2", "y")
        assert it.answers == []
        await it.press("right", "enter")
        assert "Run a command?" in str(it.dock.border_title)


async def test_a_rule_that_can_not_be_found_leaves_the_question_open() -> None:
    async with scene(git_log()) as it:
        it.bridge.fails["proposal"] = OSError("the log can't be read")
        await it.armed()
        await it.press("2")
        assert "the log can't be read" in it.shown
        await it.press("escape")
        await it.quiet(0.43)
        await it.press("1")
        assert it.answers == [AnswerIntent(True)]


async def test_a_rule_that_does_not_fit_is_read_to_its_end_before_it_is_kept() -> None:
    async with scene(git_log(), size=(40, 12)) as it:
        await it.armed()
        await it.press("3")
        await it.quiet(0.43)
        await it.press("1")
        assert it.answers == []
        assert "to its end first" in it.said
        await it.press("end", "1")
        assert it.answers == [AnswerIntent(True, rules=PROPOSAL.rules, scope="project")]


async def test_a_proposal_that_comes_for_another_question_changes_nothing() -> None:
    async with scene(git_log("a1"), git_log("a2")) as it:
        await it.armed()
        await it.press("2")
        await it.press("escape")
        it.dock.propose("a1", PROPOSAL)
        assert "Rule" not in it.shown
        it.dock.propose("a2", PROPOSAL)
        assert "Rule" not in it.shown


# Words and replacements


async def test_what_should_run_instead_begins_as_the_command_and_is_sent_as_words() -> None:
    async with scene(command_approval(command="rm -rf x")) as it:
        await it.armed()
        await it.press("5", "tab")
        assert it.dock._entry.text == "rm -rf x"
        assert "say what instead" in str(it.dock.border_title)
        await it.press("enter")  # as it was asked: no replacement
        assert it.answers == []
        await it.press("backspace", "y", "enter")
        assert it.answers == [AnswerIntent(False, replacement="rm -rf y")]


async def test_both_forms_are_kept_while_the_question_waits() -> None:
    async with scene(command_approval(command="ls")) as it:
        await it.armed()
        await it.press("5", *"too wide", "tab", "!", "tab")
        assert it.dock._entry.text == "too wide"
        await it.press("escape")
        await it.quiet(0.43)
        await it.press("5", "tab", "enter")
        assert it.answers == [AnswerIntent(False, "too wide", replacement="ls!")]


async def test_of_other_calls_the_arguments_are_changed() -> None:
    asked = replace(edit_approval(), arguments='{"path":"a","new":"x\\ny"}')
    async with scene(asked) as it:
        await it.armed()
        await it.press("5", "tab")
        assert it.dock._entry.text == '{\n  "path": "a",\n  "new": "x\\ny"\n}'


async def test_what_is_hidden_in_a_command_is_visible_when_it_is_changed() -> None:
    async with scene(command_approval(command="ls\x1b[2J\u200b")) as it:
        await it.armed()
        await it.press("5", "tab")
        assert it.dock._entry.text == "ls␛[2J\\u200b"


async def test_what_was_written_to_a_question_that_went_away_is_in_the_draft() -> None:
    async with scene(command_approval(command="ls")) as it:
        await it.armed()
        await it.press("5", *"because", "tab", "!")
        it.bridge.change(approvals=())
        await it.press()
        assert it.draft == "because\nls!"
        assert it.app.focused is it.app.chat.composer
        assert it.answers == []


async def test_a_paste_into_a_refusal_is_text_and_sends_nothing() -> None:
    async with scene() as it:
        await it.armed()
        await it.press("5")
        it.app.post_message(events.Paste("no\ny\n\x1b[31m1\r"))
        await it.press()
        assert it.dock._entry.text == "no\ny\n1\n"
        assert it.answers == []


# Danger


async def read(it: Scene, *keys: str) -> None:
    await it.press("f", *keys, "escape")
    await it.quiet(0.43)


@pytest.mark.parametrize("key", ["1", "y", "2"])
async def test_what_is_dangerous_is_not_allowed_before_it_was_read(key: str) -> None:
    async with scene(dangerous()) as it:
        assert "▲ Deletes files recursively" in it.head
        await it.armed()
        await it.press(key)
        assert it.bridge.asked == []
        assert "Read it to its end first" in it.said
        await read(it)
        assert "read to its end" in it.head
        assert "Read it to its end first" not in it.said
        await it.press(key)
        assert it.bridge.asked == [("proposal", "a2") if key == "2" else ("answer", "a2", AnswerIntent(True))]


async def test_neither_the_mouse_nor_a_focused_answer_goes_around_it() -> None:
    async with scene(dangerous()) as it:
        await it.armed()
        await it.press("right", "enter")
        await it.pilot.click(it.dock._answers, offset=(3, 0))
        await it.press()
        assert it.answers == []


async def test_it_was_read_only_when_its_end_was_in_view() -> None:
    long = "\n".join(f"rm -rf {n}" for n in range(100))
    async with scene(dangerous(command=long)) as it:
        await it.armed()
        await read(it, "pagedown")
        assert "Not read to its end" in it.said
        await it.press("1")
        assert it.answers == []
        await read(it, "end", "home")
        await it.press("1")
        assert it.answers == [AnswerIntent(True)]


async def test_another_content_must_be_read_again() -> None:
    async with scene(dangerous()) as it:
        await it.armed()
        await read(it)
        it.bridge.change(approvals=(dangerous(command="rm -rf /"),))
        await it.press()
        await it.quiet(0.43)
        await it.press("1")
        assert it.answers == []


async def test_it_is_never_allowed_for_good() -> None:
    async with scene(dangerous()) as it:
        await it.armed()
        await read(it)
        await it.press("3")
        assert it.bridge.asked == []
        assert "not offered" in it.said
        await it.press("2")
        await it.quiet(0.43)
        await it.press("1")
        assert it.answers == [AnswerIntent(True, rules=PROPOSAL.rules, scope="session")]


async def test_it_is_refused_without_reading() -> None:
    async with scene(dangerous()) as it:
        await it.armed()
        await it.press("n")
        assert it.answers == [AnswerIntent(False)]


# Plans


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["1"], AnswerIntent(True)),
        (["n"], AnswerIntent(False)),
        (["5", *"smaller", "enter"], AnswerIntent(False, "smaller")),
    ],
)
async def test_a_plan_is_approved_or_goes_on(keys: list[str], answer: AnswerIntent) -> None:
    async with scene(plan()) as it:
        await it.armed()
        assert "Fix the flaky test" in it.shown
        assert "#" not in it.shown
        drawn = it.dock._answers.render_line(0).text
        assert "1 Approve" in drawn
        assert "4 Keep planning" in drawn
        assert "2" not in drawn
        await it.press("2", "3")
        assert it.bridge.asked == []
        await it.press(*keys)
        assert it.answers == [answer]


# Input methods


@pytest.mark.parametrize(("character", "allowed"), [("１", True), ("４", False)])
async def test_a_digit_in_its_wide_form_answers(character: str, allowed: bool) -> None:
    async with scene() as it:
        await it.armed()
        it.app.post_message(events.Key(character, character))
        await it.press()
        assert it.answers == [AnswerIntent(allowed)]
