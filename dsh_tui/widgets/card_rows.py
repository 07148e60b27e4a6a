"""A card in full as rows: the command, the diff, the plan or the arguments, every character shown. Pure.

Source: UX spec §4 (full command always reachable).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style

from dsh_tui.engine.projection.views import CardView
from dsh_tui.widgets.code_colours import CodeColours
from dsh_tui.widgets.diff_block import SIDE_BY_SIDE, DiffRows
from dsh_tui.widgets.diff_lines import overlaid
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.reveal import Span, reveal, reveal_line
from dsh_tui.widgets.row import Row, prefixed, row
from dsh_tui.widgets.wrap import fold

EMPTY: Final = "(empty: there is nothing to run)"
_PROMPT: Final = ("$ ", "> ", "  ")
"""In front of a command, of each line that a line feed begins, of one that goes on because it is long."""
_COLOURED_LINES: Final = 2_000

Draw = Callable[[int, Palette], Sequence[Row]]
"""Rows for a width."""


def card_rows(
    card: CardView, width: int, palette: Palette, *, beside_from: int = SIDE_BY_SIDE
) -> Sequence[Row]:
    """All of a card."""
    if card.kind == "diff" and card.diff is not None:
        return DiffRows(card.diff, width, palette, shown=reveal_line, beside_from=beside_from)
    if not card.text.strip():
        return [row((EMPTY, palette.warning))]
    if card.kind == "command":
        return _command(card.text, width, palette)
    if card.kind == "plan":
        return _plan(card.text, width, palette)
    return text_rows(card.text, width, palette, language="json" if card.text.startswith("{") else "")


def card_draw(card: CardView, *, beside_from: int = SIDE_BY_SIDE) -> Draw:
    """`card_rows` of one card."""
    return lambda width, palette: card_rows(card, width, palette, beside_from=beside_from)


def text_rows(
    text: str, width: int, palette: Palette, *, look: Style | None = None, language: str = ""
) -> list[Row]:
    """A text line by line, nothing of it left out or hidden."""
    revealed = reveal(text)
    out: list[Row] = []
    ranges = _by_line(revealed.text, revealed.marks)
    colours = CodeColours(language if len(ranges) <= _COLOURED_LINES else "", palette)
    for line, marks in ranges:
        spans = colours.line(line) if language else [Segment(line, look or palette.text)]
        out.extend(fold(overlaid(spans, marks, palette.hidden), width))
    return out


def _command(text: str, width: int, palette: Palette) -> list[Row]:
    revealed = reveal(text)
    out: list[Row] = []
    first, begun, goes_on = (Segment(sign, palette.faint) for sign in _PROMPT)
    for line, marks in _by_line(revealed.text, revealed.marks):
        rows = fold(overlaid([Segment(line, palette.text)], marks, palette.hidden), width - len(first.text))
        out.extend(prefixed(rows, begun if out else first, goes_on, len(first.text)))
    return out


def _plan(text: str, width: int, palette: Palette) -> list[Row]:
    from dsh_tui.widgets.markdown_rows import MarkdownRows  # its parser is seldom needed here

    room = min(width, 100)
    return list(MarkdownRows(room, palette, widest=width).show(text, done=True))


def _by_line(text: str, marks: Iterable[Span]) -> list[tuple[str, list[Span]]]:
    """The lines, and the marks in each."""
    waiting = list(marks)
    waiting.reverse()
    out: list[tuple[str, list[Span]]] = []
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        inside: list[Span] = []
        while waiting and waiting[-1][0] < end:
            start, stop = waiting.pop()
            inside.append((start - at, stop - at))
        out.append((line, inside))
        at = end + 1
    return out
