"""What a mouse selection in the transcript copies: source, without borders and without our wraps.

Parts of an answer that are covered whole give their Markdown; at the edges the drawn text.
A selection is made of (x, y) with y naming block and row, so it stays put while the view moves.
Source: design §3 row 19.
"""

from __future__ import annotations

import re

from textual.geometry import Offset
from textual.selection import Selection

from dsh_tui.engine.projection.views import AnswerView, ThinkingView, UserView
from dsh_tui.widgets.answer_block import Answer
from dsh_tui.widgets.block_rows import source
from dsh_tui.widgets.canvas import Canvas
from dsh_tui.widgets.row import Row

_ROW_BITS = 24
_COLUMNS = re.compile(r" {3,}")


def address(index: int, row: int) -> int:
    """One number for a row of a block; ordered as the rows are."""
    return index << _ROW_BITS | row


def place(y: int) -> tuple[int, int]:
    """Block and row of an `address`."""
    return y >> _ROW_BITS, y & ((1 << _ROW_BITS) - 1)


def selected_text(canvas: Canvas, selection: Selection) -> str:
    """The text under a selection."""
    last = canvas.count - 1
    if last < 0:
        return ""
    start = selection.start or Offset(0, 0)
    end = selection.end or Offset(1 << 30, address(last, (1 << _ROW_BITS) - 1))
    (first_block, first_row), (last_block, last_row) = place(start.y), place(end.y)
    pieces = []
    for index in range(first_block, min(last_block, last) + 1):
        height = canvas.measure(index)
        top = (first_row, start.x) if index == first_block else (0, 0)
        bottom = (min(last_row, height - 1), end.x) if index == last_block else (height - 1, 1 << 30)
        if top[0] <= bottom[0]:
            pieces.append((canvas.gap(index), _block_text(canvas, index, top, bottom)))
    return "".join(
        [("\n\n" if space else "\n") * bool(at) + text for at, (space, text) in enumerate(pieces)]
    ).strip("\n")


def _block_text(canvas: Canvas, index: int, top: tuple[int, int], bottom: tuple[int, int]) -> str:
    view = canvas.blocks[index]
    gap, margin = canvas.gap(index), canvas.margin(index)
    rows = canvas.rows(index)
    first, last = max(0, top[0] - gap), bottom[0] - gap
    if last < 0 or not rows:
        return ""
    left = 0 if top[0] < gap else max(0, top[1] - margin)
    right = bottom[1] - margin
    whole_start = left <= rows[first].gutter
    whole_end = right >= _length(rows[last])
    if isinstance(view, (UserView, ThinkingView)) and (first, last) == (0, len(rows) - 1):
        if whole_start and whole_end:
            return source(view)
    elif isinstance(view, AnswerView):
        answer = canvas.answer(index)
        if answer is not None:
            return _answer_text(
                answer, first + (not whole_start), last - (not whole_end), rows, (first, last, left, right)
            )
    return _rows_text(rows, first, last, left, right)


def _answer_text(
    answer: Answer, whole_first: int, whole_last: int, rows: list[Row], span: tuple[int, int, int, int]
) -> str:
    """Markdown for what is covered whole, drawn text in front of it and behind it."""
    first, last, left, right = span
    covered = answer.source_of(whole_first, whole_last)
    if covered is None:
        return _rows_text(rows, first, last, left, right)
    start, stop, text = covered
    parts = [text]
    if start > first:
        parts.insert(0, _rows_text(rows, first, start - 1, left, 1 << 30))
    if stop <= last:
        parts.append(_rows_text(rows, stop, last, 0, right))
    return "\n".join([part.rstrip("\n") for part in parts])


def _length(row: Row) -> int:
    return sum([len(segment.text) for segment in row.segments])


def _rows_text(rows: list[Row], first: int, last: int, left: int, right: int) -> str:
    """Drawn text of some rows, wraps undone, columns closed up."""
    out: list[str] = []
    for number in range(first, last + 1):
        row = rows[number]
        text = row.content
        if number in (first, last):
            begin = max(0, left - row.gutter) if number == first else 0
            stop = max(0, right - row.gutter) if number == last else len(text)
            if row.copied is None or begin > 0 or stop < len(text):
                text = "".join([segment.text for segment in row.segments])[row.gutter :][begin:stop]
        out.append(text.rstrip() if row.joint == "\n" else text)
        if number < last:
            out.append(row.joint)
    return _COLUMNS.sub("  ", "".join(out)) if first == last else "".join(out)
