from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.widgets.visible_text import drawn, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [31m text", "plain [31m text"),
        ("\x1b[31mRed\x1b[0m", "␛Red␛"),
        ("a\x1b]0;owned\x07b", "a␛b"),
        ("a\x1b]2;t\x1b\\b", "a␛b"),
        ("\x1b]8;;https://h.invalid\x1b\\link\x1b]8;;\x1b\\", "␛link␛"),
        ("x\x1b]52;c;ZXZpbA==\x07y", "x␛y"),
        ("p\x1bP+q544e\x1b\\q", "p␛q"),
        ("\x1b[2J\x1b[H\x1b[?1049hfull", "␛␛␛full"),
        ("\x1bcreset", "␛reset"),
        ("k\x1b(0lqk\x1b(B", "k␛lqk␛"),
        ("\x9b31mC1\x9b0m", "␛C1␛"),
        ("a\x9d0;t\x9cb", "a␛b"),
        ("tail \x1b[31", "tail ␛"),
        ("one \x1b]0;unfinished\nnext line", "one ␛\nnext line"),
        ("bell\x07", "bell␇"),
        ("a\x00b", "a␀b"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("half \ud800", "half \\ud800"),
        ("tags \U000e0041", "tags \\U000e0041"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("👩‍👩‍👧 e\u0301", "👩‍👩‍👧 e\u0301"),
        ("a\r\nb\tc\rd", "a\nb\tc␍d"),
        ("a\u2028b\x85c", "a\\u2028b\\x85c"),
    ],
)
def test_outside_text_is_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert drawn(text) == shown


@given(st.text())
def test_what_is_shown_cannot_drive_a_terminal(text: str) -> None:
    shown = drawn(text)
    assert not any((ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    shown.encode("utf-8")
    assert drawn(shown) == shown
    assert drawn(text.replace("\r", "")).count("\n") == text.count("\n")


def test_one_line_has_no_line_ends() -> None:
    assert one_line("a\nb\tc") == "a⏎b c"
