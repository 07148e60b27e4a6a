"""What a person sees before they decide: all of it, in any window, with nothing hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import Static

from dsh_tui.engine.projection.views import ApprovalView, CardView, DiffHunk, DiffView
from dsh_tui.widgets.approval_look import SHORT
from dsh_tui.widgets.card_text import CardText
from dsh_tui.widgets.diff_block import DiffRows
from tests.fakes.dock_scene import Scene, dangerous, scene
from tests.fakes.fake_chat import command_approval, edit_approval

SIZES = pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
FIELDS = ",\n".join(f'  "field{n}": {n}' for n in range(50))
HEREDOC = "cat > x <<'E'\n" + "\n".join(f"line {n}" for n in range(200)) + "\nE\nrm last"
LINES = tuple(line for n in range(1_500) for line in (f"-old {n}", f"+new {n}"))


def command(text: str) -> ApprovalView:
    return command_approval(command=text)


def edit() -> ApprovalView:
    card = CardView(kind="diff", diff=DiffView("big.py", 1_500, 1_500, (DiffHunk(1, 1, LINES),)))
    return replace(edit_approval(), card=card)


def arguments() -> ApprovalView:
    card = CardView(kind="generic", text=f"{{\n{FIELDS}\n}}")
    return replace(command_approval(), tool="other", verb="other", card=card)


def all_answers_seen(it: Scene) -> bool:
    answers, screen = it.dock._answers, it.app.chat
    height = answers.get_content_height(answers.size, answers.size, answers.size.width)
    return answers.region.height == height and screen.region.contains_region(answers.region)


def how_much_is_out_of_view(it: Scene) -> str:
    return it.head if it.app.chat.size.height < SHORT else str(it.dock.query_one("#more", Static).content)


@SIZES
@pytest.mark.parametrize(
    ("asked", "last"),
    [
        (command("echo " + "a" * 380 + ' && rm -rf "$HOME"'), '"$HOME"'),
        (command(HEREDOC), "rm last"),
        (edit(), "new 1499"),
        (arguments(), "}"),
        (dangerous(command=HEREDOC), "rm last"),
    ],
    ids=["long", "heredoc", "diff of 3,000 lines", "50 fields", "dangerous"],
)
async def test_everything_can_be_read_and_every_answer_is_seen(
    size: tuple[int, int], asked: ApprovalView, last: str
) -> None:
    async with scene(asked, size=size) as it:
        await it.armed()
        assert all_answers_seen(it)
        assert it.dock.region.bottom <= it.app.chat.composer.region.y
        assert it.card.below > 0 or it.card.end_seen
        if it.card.below:
            assert f"{it.card.below:,} more" in how_much_is_out_of_view(it)
        await it.press("end")
        assert it.card.below == 0
        assert it.shown.rstrip().endswith(last)
        assert it.dock.armed  # reading is no disturbance
        assert it.bridge.asked == []


@SIZES
@pytest.mark.parametrize(
    ("text", "shown", "never"),
    [
        ("ls" + " " * 200 + "; rm -rf x", "‹200 blanks› ; rm", " " * 60 + ";"),
        ("ls" + "\n" * 60 + "rm -rf x", "‹59 empty lines›", "\n\n"),
        ("ls" + "\u3000" * 200 + "; rm x", "‹200 blanks› ; rm", "\u3000"),
        ("echo \u202e x mr", "\\u202e", "\u202e"),
        ("ls\u200b\u2060 x", "ls\\u200b\\u2060 x", "\u200b"),
        ("ls \x1b[8m; rm x\x1b[0m", "ls ␛[8m; rm x␛[0m", "\x1b"),
        ("ls\r rm x", "ls␍ rm x", "\r"),
        ("", "(empty: there is nothing", "$ "),
    ],
    ids=["blanks", "lines", "wide blanks", "direction", "zero width", "escape", "return", "empty"],
)
async def test_no_character_of_a_command_hides_another_or_itself(
    size: tuple[int, int], text: str, shown: str, never: str
) -> None:
    async with scene(command(text), size=size) as it:
        assert shown in it.shown
        assert never not in it.shown
        assert all_answers_seen(it)


async def test_an_empty_command_can_not_be_allowed_for_good() -> None:
    async with scene(command("  ")) as it:
        await it.armed()
        await it.press("2", "3")
        assert it.dock.has_focus
        assert it.bridge.asked == []
        assert "nothing in it" in it.said


NAMES = [
    "a\nb.txt",
    "x\x1b[31m.txt",
    "t\x1b]0;owned\x07.txt",
    "evil\u202egpj.exe",
    "zero\u200bwidth.txt",
    "[bold]n[/",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
async def test_a_name_of_a_file_is_text_on_one_line(name: str) -> None:
    asked = replace(edit_approval(), subject=name)
    assert asked.card.diff is not None
    asked = replace(asked, card=replace(asked.card, diff=replace(asked.card.diff, path=name)))
    async with scene(asked) as it:
        assert not any(char in it.head for char in "\x1b\x07\u202e\u200b")
        assert it.head.count("\n") == 1  # and the line of facts
        await it.armed()
        await it.press("f")
        await it.press("escape")
        assert it.bridge.asked == []


@SIZES
async def test_a_plan_an_agent_and_a_session_are_named_in_any_window(size: tuple[int, int]) -> None:
    asked = replace(
        command_approval(), session_id="s9", session_title="Fix tests", agent="main agent › explore"
    )
    async with scene(asked, size=size) as it:
        told = f"{it.dock.border_title}\n{it.head}"
        assert "in “Fix tests” · " in told
        assert "explore" in told


async def test_a_diff_stands_side_by_side_in_a_wide_full_view_and_in_one_column_on_demand() -> None:
    async with scene(edit_approval(), size=(120, 30)) as it:
        await it.armed()
        await it.press("f")
        card = it.app.screen.query_one(CardText)
        wide = card.render_line(1).text
        assert "time.monotonic()" in wide
        assert "self._clock()" in wide
        await it.press("s")
        assert "self._clock()" not in card.render_line(1).text
        await it.press("escape")
        assert it.app.screen is it.app.chat


async def test_scrolling_a_diff_of_3000_lines_draws_only_what_is_seen() -> None:
    async with scene(edit(), size=(120, 40)) as it:
        await it.armed()
        await it.press("f", "end", "pageup", "pageup", "home", "pagedown")
        rows = it.app.screen.query_one(CardText)._rows
        assert isinstance(rows, DiffRows)
        assert len(rows) == 1_500
        assert len(rows._drawn) < 400
