from __future__ import annotations

import pytest

from dsh_tui.engine.projection.views import CardView, DiffHunk, DiffView
from dsh_tui.widgets.card_text import EMPTY, card_lines
from dsh_tui.widgets.reveal import reveal


@pytest.mark.parametrize(
    ("command", "hidden", "shown"),
    [
        ("ls" + " " * 200 + "; rm -rf x", " " * 21, "‹200 blanks›"),
        ("ls" + "\u3000" * 200 + "; rm x", "\u3000", "‹200 blanks›"),
        ("ls" + "\n" * 60 + "rm -rf x", "\n\n\n", "‹59 empty lines›"),
        ("echo \u202e x mr", "\u202e", "\\u202e"),
        ("ls\u200b\u2060 x", "\u200b", "\\u200b"),
        ("ls \x1b[8m; rm x\x1b[0m", "\x1b", "[8m; rm x"),
        ("ls\r rm x", "\r", " rm x"),
        ("ls\u00a0x", "\u00a0", "\\xa0"),
    ],
)
def test_nothing_in_a_command_can_hide(command: str, hidden: str, shown: str) -> None:
    assert hidden not in reveal(command)
    assert shown in reveal(command)


def test_plain_text_stays_as_it_is() -> None:
    assert reveal("git log --oneline | head\n  grep 中文") == "git log --oneline | head\n  grep 中文"


def test_an_empty_command_is_flagged() -> None:
    assert card_lines(CardView(kind="command", text="  ")) == [("", EMPTY, "$warning")]


def test_a_diff_numbers_its_lines_and_marks_the_cut_between_hunks() -> None:
    diff = DiffView("a", 1, 1, (DiffHunk(4, 4, (" x", "-y", "+z")), DiffHunk(90, 90, (" w",))))
    lines = [(gutter.split(), text) for gutter, text, _ in card_lines(CardView(kind="diff", diff=diff))]
    assert lines == [(["4"], "x"), (["5", "−"], "y"), (["5", "+"], "z"), ([], "⋯"), (["90"], "w")]
