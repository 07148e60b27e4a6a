from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.heights import Heights
from dsh_tui.widgets.layout import duration, tokens
from dsh_tui.widgets.markdown_table import fit_columns
from dsh_tui.widgets.row import fit
from dsh_tui.widgets.terminal_text import terminal_lines, terminal_rows
from dsh_tui.widgets.wrap import wrap

ALPHABET = st.text(st.sampled_from("ab  中，（👩\u200d👩e\u0301ｱ "), max_size=60)


@given(ALPHABET, st.integers(1, 20), st.integers(0, 5))
def test_wrapped_rows_are_the_text_again(text: str, width: int, cut: int) -> None:
    spans = [Segment(text[:cut], Style(bold=True)), Segment(text[cut:])]
    rows = wrap(spans, width)
    joined = "".join(row.content + (row.joint if row.joint != "\n" else "") for row in rows)
    assert joined.rstrip() == text.rstrip()
    for row in rows:
        assert row.cells == cell_len(row.content)
        assert row.cells <= max(width, 2) or "\u200d" in row.content


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("alpha beta", 6, ["alpha", "beta"]),
        ("alphabeta", 5, ["alpha", "beta"]),
        ("中文字符和，全角", 8, ["中文字符", "和，全角"]),
        ("中文字符，全角", 8, ["中文字", "符，全角"]),
        ("ab 中文", 4, ["ab", "中文"]),
        ("", 5, [""]),
    ],
)
def test_wrapping_breaks_where_a_reader_would(text: str, width: int, rows: list[str]) -> None:
    assert [row.content for row in wrap([Segment(text)], width)] == rows


def test_heights_agree_with_plain_sums() -> None:
    dice = random.Random(7)
    values = [dice.randint(1, 9) for _ in range(300)]
    heights = Heights(values[:100])
    for value in values[100:]:
        heights.append(value)
    for _ in range(200):
        index = dice.randrange(300)
        values[index] = heights[index] = dice.randint(1, 30)
    assert heights.total == sum(values)
    for index in range(301):
        assert heights.before(index) == sum(values[:index])
    for row in range(0, heights.total, 3):
        block = heights.find(row)
        assert heights.before(block) <= row < heights.before(block + 1)
    assert heights.find(heights.total + 5) == 299
    heights.truncate(10)
    assert heights.total == sum(values[:10])
    assert Heights().find(0) == -1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\x1b[31mRed\x1b[0m", ["Red"]),
        ("a\x1b]0;owned\x07b", ["ab"]),
        ("10%\r20%\r100%\n", ["100%"]),
        ("abc\b\b\bxyz", ["xyz"]),
        ("k\x1b(0lqk\x1b(B", ["klqk"]),
        ("one \x1b]0;unfinished\nnext line", ["one ", "next line"]),
        ("array[0] [Note] ]0; text", ["array[0] [Note] ]0; text"]),
        ("bell\x07", ["bell␇"]),
        ("a\tb", ["a   b"]),
        ("\x1b[38;5;1mx\x1b[48;2;1;2;3my\x1b[38mz", ["xyz"]),
    ],
)
def test_tool_output_keeps_its_text_and_only_its_colours(text: str, lines: list[str]) -> None:
    shown = ["".join(part.text for part in line) for line in terminal_lines(text, Style())]
    assert shown == lines


def test_colours_of_tool_output_carry_over_lines_until_reset() -> None:
    first, second, third = terminal_rows("\x1b[1;32mok\nstill\x1b[m\nplain", 40, Style())
    for row in (first, second):
        style = row.segments[0].style
        assert style is not None
        assert style.bold
        assert style.color is not None
    assert third.segments[0].style == Style()


@given(st.text(st.sampled_from("\x1b[]0123456789;:mHJK \n\r\b\x07\x9bab"), max_size=80))
def test_any_output_can_be_drawn(text: str) -> None:
    for row in terminal_rows(text, 10, Style()):
        assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in row.content)


@pytest.mark.parametrize(
    ("natural", "width", "fitted"),
    [
        ([3, 4], 20, [3, 4]),
        ([3, 40], 20, [3, 15]),
        ([30, 30], 22, [10, 10]),
        ([30, 30, 30], 12, None),
        ([3, 3, 3], 13, [3, 3, 3]),
    ],
)
def test_columns_give_way_from_the_widest(natural: list[int], width: int, fitted: list[int] | None) -> None:
    assert fit_columns(natural, width) == fitted


def test_what_is_cut_is_marked() -> None:
    assert fit("alphabet", 5) == "alph…"
    assert fit("中文字符", 5) == "中文…"
    assert fit("ab", 5) == "ab"
    assert fit("abc", 1) == "…"
    assert fit("abc", 0) == ""


def test_numbers_carry_units() -> None:
    assert [duration(ms) for ms in (12, 2400, 42_000, 185_000, 3_900_000)] == [
        "12 ms",
        "2.4 s",
        "42 s",
        "3 min 5 s",
        "1 h 5 min",
    ]
    assert [tokens(n) for n in (980, 12_345, 182_400, 1_200_000)] == ["980", "12.3k", "182k", "1.2M"]
