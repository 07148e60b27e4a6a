from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.visible import exact
from dsh_tui.widgets.reveal import reveal, reveal_line


@pytest.mark.parametrize(
    ("command", "hidden", "shown"),
    [
        ("ls" + " " * 200 + "; rm -rf x", " " * 21, "‹200 blanks›"),
        ("ls" + "\u3000" * 200 + "; rm x", "\u3000", "‹200 blanks›"),
        ("ls" + "\n" * 60 + "rm -rf x", "\n\n\n", "‹59 empty lines›"),
        ("echo \u202e x mr", "\u202e", "\\u202e"),
        ("ls\u200b\u2060 x", "\u200b", "\\u200b"),
        ("ls \x1b[8m; rm x\x1b[0m", "\x1b", "[8m; rm x"),
        ("ls\r rm x", "\r", "␍ rm x"),
        ("ls\u00a0x", "\u00a0", "\\xa0"),
    ],
    ids=["blanks", "wide blanks", "lines", "direction", "zero width", "escape", "return", "odd blank"],
)
def test_nothing_in_a_command_can_hide(command: str, hidden: str, shown: str) -> None:
    assert hidden not in reveal(command).text
    assert shown in reveal(command).text


def test_plain_text_stays_as_it_is_and_nothing_in_it_is_marked() -> None:
    assert reveal("git log --oneline | head\n  grep 中文") == ("git log --oneline | head\n  grep 中文", ())


def test_what_stands_for_something_hidden_is_marked_and_what_only_looks_like_it_is_not() -> None:
    text, marks = reveal("‹9 blanks› \\u200b \u200b\tx\u202e")
    assert [text[start:end] for start, end in marks] == ["\\u200b", "\\u202e"]
    assert marks[0][0] == len("‹9 blanks› \\u200b ")


def test_a_line_of_a_file_may_be_indented_deep_but_not_out_of_sight() -> None:
    assert reveal_line("\t" * 6 + "x").text == " " * 24 + "x"
    assert reveal_line("\t" * 40 + "x").text == " ‹40 blanks› x"
    assert "‹21 blanks›" in reveal_line("  x" + " " * 21 + "y").text


@given(st.text(alphabet=st.sampled_from(list("ab \t\n\r\x1b\u200b\u202e\u00a0\u3000中‹")), max_size=80))
def test_whatever_the_text_the_marks_are_where_they_say(text: str) -> None:
    shown, marks = reveal(text)
    assert exact(shown) == shown
    assert "\t" not in shown
    at = 0
    for start, end in marks:
        assert at <= start < end <= len(shown)
        assert shown[start:end][0] in "‹\\␍␛"
        at = end
