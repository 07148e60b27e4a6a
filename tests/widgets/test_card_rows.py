from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment

from dsh_tui.engine.projection.views import CardView, DiffHunk, DiffView
from dsh_tui.theme import THEMES
from dsh_tui.widgets.card_rows import EMPTY, card_rows
from dsh_tui.widgets.diff_block import DiffRows
from dsh_tui.widgets.diff_lines import COLOURED_AT_ONCE
from dsh_tui.widgets.palette import palette_from
from dsh_tui.widgets.reveal import reveal_line
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.wrap import fold, folded

INK = palette_from(
    {**THEMES[0].to_color_system().generate(), **{k: str(v) for k, v in THEMES[0].variables.items()}}
)
WIDTH = 40


def texts(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row.segments) for row in rows]


def drawn(card: CardView, width: int = WIDTH) -> list[str]:
    return texts(list(card_rows(card, width, INK)))


def command(text: str) -> CardView:
    return CardView(kind="command", text=text)


def test_a_command_tells_a_line_feed_from_a_line_that_was_too_long() -> None:
    assert drawn(command("echo one two three four five\nrm x"), 20) == [
        "$ echo one two ",
        "  three four five",
        "> rm x",
    ]


def test_an_empty_command_is_flagged() -> None:
    assert drawn(command("  \n ")) == [EMPTY]


@pytest.mark.parametrize("width", [30, 36, 76])
def test_the_end_of_a_long_command_is_there_at_any_width(width: int) -> None:
    rows = drawn(command("echo " + "a" * 380 + ' && rm -rf "$HOME"'), width)
    assert "".join(row[2:] for row in rows) == "echo " + "a" * 380 + ' && rm -rf "$HOME"'
    assert all(cell_len(row) <= width for row in rows)


def test_what_was_hidden_has_a_look_that_plain_text_never_has() -> None:
    (row,) = card_rows(command("ls \\u200b\u200b x"), WIDTH, INK)
    looks = [(segment.text, segment.style == INK.text + INK.hidden) for segment in row.segments[1:]]
    assert looks == [("ls \\u200b", False), ("\\u200b", True), (" x", False)]


def test_arguments_are_all_there_one_to_a_line() -> None:
    fields = ",\n".join(f'  "field{n}": {n}' for n in range(50))
    rows = drawn(CardView(kind="generic", text=f"{{\n{fields}\n}}"))
    assert rows[1] == '  "field0": 0,'
    assert len(rows) == 52


def test_a_plan_is_drawn_as_a_document() -> None:
    rows = drawn(CardView(kind="plan", text="# Steps\n\n1. Read **it**\n"))
    assert any("Read it" in row for row in rows)
    assert not any("#" in row for row in rows)


def diff(*hunks: DiffHunk, path: str = "a.py") -> DiffView:
    return DiffView(path, 1, 1, hunks)


def test_a_diff_numbers_its_lines_and_marks_the_cut_between_hunks() -> None:
    view = diff(DiffHunk(4, 4, (" x", "-y", "+z")), DiffHunk(90, 90, (" w",)))
    rows = [row.split() for row in drawn(CardView(kind="diff", diff=view))]
    assert rows == [["4", "x"], ["5", "−", "y"], ["5", "+", "z"], ["⋯"], ["90", "w"]]


def test_a_diff_hides_no_more_than_a_command() -> None:
    view = diff(DiffHunk(1, 1, ("-x\u200b", "+x" + " " * 50 + "y", "+z\r")))
    rows = drawn(CardView(kind="diff", diff=view), 60)
    assert "x\\u200b" in rows[0]
    assert "‹50 blanks›" in rows[1]
    assert "z␍" in rows[2]


def test_line_ends_of_windows_are_no_noise_where_all_lines_have_them() -> None:
    rows = drawn(CardView(kind="diff", diff=diff(DiffHunk(1, 1, ("-x\r\n", "+y\r\n")))))
    assert not any("␍" in row for row in rows)


def test_words_are_marked_in_pairs_and_drawn_in_the_colour_of_text() -> None:
    view = diff(DiffHunk(1, 1, ("-a = old(1)", "+a = new(1)", "+b = 2")))
    rows = DiffRows(view, WIDTH, INK)
    words = {segment.text: segment.style for segment in rows[1].segments if segment.style}
    assert words["new"] == INK.text + INK.added + INK.added_word
    assert all(
        segment.style.bgcolor != INK.added_word.bgcolor for segment in rows[2].segments if segment.style
    )


def test_a_huge_diff_is_counted_at_once_and_drawn_where_it_is_looked_at() -> None:
    lines = tuple(f"{sign}value_{n} = {n}" for n in range(3_000) for sign in "-+")
    rows = DiffRows(diff(DiffHunk(1, 1, lines)), 80, INK, shown=reveal_line)
    assert len(rows) == 6_000
    assert "value_2999 = 2999" in texts([rows[-1]])[0]
    assert len(rows._drawn) == 1
    [hunk] = {item.hunk for item in rows._items if item is not None}
    assert set(hunk._coloured) == {(6_000 - 1) // COLOURED_AT_ONCE}


@given(
    st.lists(
        st.tuples(st.sampled_from(" -+"), st.text(alphabet="ab 中\t=\u200b", max_size=60)),
        min_size=1,
        max_size=12,
    ),
    st.integers(12, 90),
    st.booleans(),
)
def test_the_rows_of_a_diff_are_as_many_as_were_counted_and_none_is_too_wide(
    lines: list[tuple[str, str]], width: int, beside: bool
) -> None:
    view = diff(DiffHunk(1, 1, tuple(sign + text for sign, text in lines)))
    rows = DiffRows(view, width, INK, shown=reveal_line, beside_from=40 if beside else 1_000)
    drawn = list(rows)
    assert len(drawn) == len(rows)
    for row in drawn:
        assert row.cells == sum(cell_len(segment.text) for segment in row.segments)
        assert row.cells <= width


@given(st.text(alphabet="ab 中é", max_size=120), st.integers(2, 40))
def test_folding_draws_every_character(text: str, width: int) -> None:
    rows = fold([Segment(text[:7]), Segment(text[7:])], width)
    assert "".join(texts(rows)) == text
    assert len(rows) == folded(text, width)
    assert all(row.cells == cell_len(line) <= width for row, line in zip(rows, texts(rows), strict=True))
    # and a row is broken behind a blank where one stands in its right half
    for row, following in pairwise(texts(rows)):
        if " " in row[len(row) // 2 + 1 :] and not row.endswith(" "):
            assert cell_len(row[: row.rindex(" ") + 1]) * 2 <= width, (row, following)


def test_a_changed_line_stands_against_the_one_it_became_whatever_was_added_before_it() -> None:
    hunk = DiffHunk(
        1,
        1,
        ("-    return base * uniform(0.9, 1.1)", "+    # a remark", "+    return base * uniform(1.0, 1.2)"),
    )
    rows = DiffRows(diff(hunk), 100, INK, beside_from=80)
    lines = [row.partition("│") for row in texts(list(rows))]
    assert [(bool(left.strip()), right.split()[2]) for left, _, right in lines] == [
        (False, "#"),
        (True, "return"),
    ]
    words = {
        segment.text
        for segment in rows[1].segments
        if segment.style and segment.style.bgcolor == INK.added_word.bgcolor
    }
    assert words == {"1.0", "1.2"}


@given(st.lists(st.sampled_from(["-a b", "-c d", "+a b", "+c d", "+x", " y"]), max_size=14))
def test_side_by_side_every_line_is_there_once_and_in_order(lines: list[str]) -> None:
    rows = texts(list(DiffRows(diff(DiffHunk(1, 1, tuple(lines))), 60, INK, beside_from=40)))
    halves = [row.partition(" │ ") for row in rows]
    left = [half.split(maxsplit=1)[1].removeprefix("−").strip() for half, _, _ in halves if half.strip()]
    right = [half.split(maxsplit=1)[1].removeprefix("+").strip() for _, _, half in halves if half.strip()]
    assert left == [line[1:] for line in lines if line[0] != "+"]
    assert right == [line[1:] for line in lines if line[0] != "-"]
