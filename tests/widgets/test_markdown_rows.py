from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from dsh_tui.theme import THEMES
from dsh_tui.widgets.markdown_rows import LARGE, MarkdownRows
from dsh_tui.widgets.palette import Palette, palette_from
from dsh_tui.widgets.row import Row

CASES = Path(__file__).resolve().parents[2] / "../shared/cases/markdown"


def make_palette() -> Palette:
    theme = THEMES[0]
    return palette_from({**theme.to_color_system().generate(), **theme.variables})


PALETTE = make_palette()


def drawn(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row.segments).rstrip() for row in rows]


def whole(text: str, width: int = 60) -> list[Row]:
    return list(MarkdownRows(width, PALETTE, widest=width).show(text, done=True))


def streamed(text: str, sizes: list[int], width: int = 60) -> list[Row]:
    markdown = MarkdownRows(width, PALETTE, widest=width)
    at = turn = 0
    while at < len(text):
        at += sizes[turn % len(sizes)]
        turn += 1
        markdown.show(text[:at], done=False)
    return list(markdown.show(text, done=True))


EXAMPLE = """# Title

Some *text* with **bold**, `code` and a [link](https://example.invalid/x),
going on in the next line.

- one
- two
  goes on

  with a second paragraph
- three
  1. nested
  2. again

7. seven
8. eight

> quoted
> - list in it

| name | value |
|------|------:|
| a    | 1     |
| b    | 22    |
not a row of it | any more

```python
def f(x):
    '''several
    lines'''
    return x  # done
```
~~~
unclosed ``` inside
~~~
---
Setext
======
last line"""


def test_a_document_is_drawn_and_not_its_source() -> None:
    text = "\n".join(drawn(whole(EXAMPLE)))
    for shown in ("Title", "• one", "  1. nested", "7. seven", "│ quoted", "│ def f(x):", "Setext"):
        assert shown in text
    for hidden in ("# Title", "**", "`code`", "https://", "```python", "======"):
        assert hidden not in text
    assert "not a row of it  any more" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- [x] found\n- [ ] to mend\n  - [X] deeper", ["✓ found", "○ to mend", "  ✓ deeper"]),
        ("1. [ ] first\n2. [x] second", ["1. ○ first", "2. ✓ second"]),
        ("- [y] no\n- [x]no\n- [x]", ["• [y] no", "• [x]no", "• [x]"]),
    ],
)
def test_a_task_says_whether_it_is_done_and_what_only_looks_like_one_is_text(
    text: str, shown: list[str]
) -> None:
    assert drawn(whole(text)) == shown


@pytest.mark.parametrize("size", [1, 3, 7, 40])
def test_streaming_in_pieces_ends_in_the_same_rows(size: int) -> None:
    assert streamed(EXAMPLE, [size]) == whole(EXAMPLE)


BLOCKS = [
    "", "para", "some *em* and **bo", "- item", "- [ ] box", "  more", "* star", "1. one", "2) two",
    "1. [x] done", "3. x", "    code", "```", "```py", "~~~~", "> quote", ">", "# head", "#", "---", "===",
    "| a | b |", "|---|:-:|", "| c | d | e |", "a | b", "\\* esc", "`tick", "<b>html</b>", "<div>",
    "end  ", "中文，字", "\tx", "\x1b[31mred", "- ", "10. ten", "  - nested", "   1. deep", "> - q",
    "[x]", "![i](u)", "&amp;", "-", "+", "***", "x = '''",
]  # fmt: skip
LINES = st.sampled_from(BLOCKS) | st.just("")


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=14), st.lists(st.integers(1, 12), min_size=1, max_size=5), st.booleans())
def test_any_document_is_the_same_however_it_arrives(lines: list[str], sizes: list[int], ended: bool) -> None:
    text = "\n".join(lines) + "\n" * ended
    assert drawn(streamed(text, sizes)) == drawn(whole(text))
    assert streamed(text, sizes) == whole(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.integers(1, 90))
def test_no_row_is_wider_than_its_width_or_drives_the_terminal(text: str, width: int) -> None:
    for row in whole(text, width):
        shown = "".join(segment.text for segment in row.segments)
        assert cell_len(shown) == row.cells
        assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in shown)
        if width >= 8:
            assert row.cells <= width + 2  # a table may end in blank cells


@pytest.mark.parametrize("name", ["s01-brackets.md", "s02-escape-sequences.md", "s03-widths.md"])
@pytest.mark.parametrize("width", [80, 40, 20, 7])
def test_nasty_answers_render_alike_whole_and_streamed(name: str, width: int) -> None:
    if not (CASES / name).exists():
        pytest.skip("cases are not here")
    text = (CASES / name).read_bytes().decode()
    assert streamed(text, [7], width) == whole(text, width)
    assert "\x1b" not in "".join(drawn(whole(text, width)))


def test_square_brackets_are_text() -> None:
    text = "[/red] and [bold]x[/bold] a[0] [link=x]y[/link] [ref][1]\n\n`[c]`"
    assert drawn(whole(text, 90)) == ["[/red] and [bold]x[/bold] a[0] [link=x]y[/link] [ref][1]", "", "[c]"]


def test_raw_html_is_text() -> None:
    assert drawn(whole("<script>alert(1)</script> <b>x</b>")) == ["<script>alert(1)</script> <b>x</b>"]


def test_a_list_hangs_under_its_marker() -> None:
    assert drawn(whole("- alpha beta gamma delta\n- x", 14)) == ["• alpha beta", "  gamma delta", "• x"]


def test_a_table_too_wide_turns_into_records() -> None:
    text = (
        "| name | number | comment |\n|---|---|---|\n| alpha | 1 | something long here |\n| beta | 2 | y |\n"
    )
    rows = drawn(whole(text, 16))
    assert rows[0] == "name: alpha"
    assert "" in rows
    assert "comment: y" in rows


def test_a_settled_row_is_never_drawn_again() -> None:
    markdown = MarkdownRows(60, PALETTE, widest=60)
    first = list(markdown.show("one\n\n- a\n- b\n- c\n", done=False))
    later = list(markdown.show("one\n\n- a\n- b\n- c\n- d\n\nmore and more", done=False))
    assert all(one is other for one, other in zip(first[:4], later[:4], strict=True))


def test_many_rows_of_a_table_are_laid_out_once() -> None:
    head = "| n | square |\n|---|---|\n"
    body = [f"| {n:05} | {n * n:09} |\n" for n in range(300)]
    markdown = MarkdownRows(60, PALETTE, widest=60)
    text = head + body[0]
    before = list(markdown.show(text, done=False))
    for line in body[1:]:
        text += line
        rows = list(markdown.show(text, done=False))
        assert all(one is other for one, other in zip(before, rows, strict=False))
        before = rows
    assert markdown.show(text, done=True) == whole(text)


def test_a_list_counts_on_where_its_settled_items_end() -> None:
    text = "".join(f"{n}. item\n" for n in range(3, 40))
    rows = drawn(streamed(text, [5]))
    assert rows[0] == "3. item"
    assert rows[-1] == "39. item"


def test_an_endless_paragraph_is_not_drawn_at_each_word() -> None:
    markdown = MarkdownRows(60, PALETTE, widest=60)
    text = "word " * (LARGE // 4)
    first = list(markdown.show(text, done=False))
    assert list(markdown.show(text + "more", done=False)) == first
    assert drawn(markdown.show(text + "more", done=True))[-1].endswith("more")


def test_code_keeps_its_colours_over_line_ends() -> None:
    text = "```python\nx = '''one\ntwo'''\ny = 1\n```\n"
    rows = whole(text)
    string = rows[2].segments[-1].style
    assert string == PALETTE.ok
    assert rows[3].segments[-1].style != string


def test_block_comments_are_followed_from_line_to_line() -> None:
    rows = whole("```js\nlet a = 1 /* one\ntwo\n*/ let b\n```\n")
    assert rows[2].segments[-1].style == PALETTE.comment
    assert rows[3].segments[-1].style != PALETTE.comment


def test_whole_parts_give_their_source() -> None:
    markdown = MarkdownRows(60, PALETTE, widest=60)
    text = "# Title\n\n- **a**\n- b\n\n```sh\nls\n```\n"
    rows = markdown.show(text, done=True)
    found = markdown.source_of(0, len(rows) - 1)
    assert found is not None
    assert found[2] == text
    assert markdown.source_of(2, 2) == (2, 3, "- **a**\n")
    assert markdown.source_of(1, 1) is None
