from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.visible import exact, flattened, is_plain, marked, visible

HIDING = st.sampled_from(
    "\x00\x1b\r\x7f\x85\x9b\u00ad\u200b\u200d\u200e\u2028\u202e\u2066\u034f\u3164\ufe0f\ufe00\ufeff"
    "\U000e0041\U000e0101\ud83d\udc80é中👩a1#\n\t"
)
TEXTS = st.text(HIDING | st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [31m text\n\tindented", "plain [31m text\n\tindented"),
        ("\x1b[31mred\x07\x7f", "␛[31mred␇␡"),
        ("c1 \x9b \x85", "c1 \\x9b \\x85"),
        ("\u202eevil\u2066\u200f", "\\u202eevil\\u2066\\u200f"),
        ("one\u2028two\u2029", "one\\u2028two\\u2029"),
        ("zero\u200bwidth \ufeff so\u00adft", "zero\\u200bwidth \\ufeff so\\xadft"),
        ("half \ud800", "half \\ud800"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("blank \u3164\u115f", "blank \\u3164\\u115f"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("👩‍👩‍👧 ❤️‍🔥 1️⃣ e\u0301 نمی‌خواهم 葛\U000e0100", "👩‍👩‍👧 ❤️‍🔥 1️⃣ e\u0301 نمی‌خواهم 葛\U000e0100"),
        ("r\u200dm \ufe0f-rf é\ufe01\ufe01", "r\\u200dm \\ufe0f-rf é\ufe01\\ufe01"),
        ("👩\U000e0100\U000e0101\U000e0102", "👩\U000e0100\\U000e0101\\U000e0102"),
    ],
)
def test_what_hides_is_shown_and_scripts_keep_their_joiners(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_exact_text_shows_joiners_and_carriage_returns_too() -> None:
    assert exact("rm\u200b\u200d -rf\x1b[8m ❤\ufe0f /\r\n") == "rm\\u200b\\u200d -rf␛[8m ❤\\ufe0f /␍\n"


def test_marked_text_is_told_from_escapes_that_the_text_has_itself() -> None:
    text = "a\tb\x1b[0m\r\x7f\x9b\u202e\\u202e\n"
    assert marked(text) == ("a\tb␛[0m␍␡⟦U+009B⟧⟦U+202E⟧\\u202e\n", 5)


def test_flat_text_is_one_line_of_what_can_be_read() -> None:
    assert flattened(" no\x1b\x00\nconnection \u2028 to\u202e x ") == "no connection to x"


@given(TEXTS)
def test_nothing_that_is_shown_can_drive_a_terminal_or_hide(text: str) -> None:
    for shown in (visible(text), exact(text), marked(text)[0], flattened(text)):
        shown.encode("utf-8")
        categories = {unicodedata.category(char) for char in shown if char not in "\n\t"}
        assert not categories & {"Cc", "Cs", "Zl", "Zp"}
        assert not any(unicodedata.bidirectional(char) in _DIRECTING for char in shown)
    assert is_plain(exact(text))


@given(TEXTS)
def test_what_was_shown_once_is_shown_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert exact(exact(text)) == exact(text)


@given(TEXTS)
def test_plain_text_is_given_back_and_line_numbers_hold(text: str) -> None:
    if is_plain(text):
        assert visible(text) == exact(text) == marked(text)[0] == text
    assert visible(text).count("\n") == text.count("\n")


_DIRECTING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
