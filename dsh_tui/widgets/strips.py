"""From a row to the strip that Textual paints: margin, ground, cursor, selection, filters.

Source: design §3 row 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row

CURSOR = "›"
_KEPT = 512
_REVERSED = Style(reverse=True)


class Look(NamedTuple):
    """Everything about a line but its row. Equal looks of one row give equal strips."""

    margin: int = 0
    cursor: bool = False
    first: bool = False
    """Whether it is the first row of its block."""
    span: tuple[int, int] | None = None
    """Selected or marked characters, -1 for the end of the line."""
    here: bool = False
    """Whether what is marked is the place that was gone to."""


class StripCache:
    """The strips that were painted lately, by the identity of their rows."""

    def __init__(self) -> None:
        self._kept: LRUCache[tuple[int, Look, int], tuple[Row, Strip]] = LRUCache(_KEPT)

    def clear(self) -> None:
        """Paint all anew: another theme, another width."""
        self._kept.clear()

    def strip(
        self,
        row: Row,
        look: Look,
        width: int,
        base: Style,
        palette: Palette,
        filters: Sequence[LineFilter],
    ) -> Strip:
        """As `strip_of`, made once."""
        key = (id(row), look, width)
        cached = self._kept.get(key)
        if cached is None or cached[0] is not row:
            cached = self._kept[key] = (row, strip_of(row, look, width, base, palette, filters))
        return cached[1]


def strip_of(
    row: Row,
    look: Look,
    width: int,
    base: Style,
    palette: Palette,
    filters: Sequence[LineFilter],
) -> Strip:
    """A strip exactly ``width`` cells wide."""
    segments = [Segment(" " * look.margin), *row.segments] if look.margin else list(row.segments)
    ground = base + palette.cursor if look.cursor else base
    if look.cursor and look.first:
        segments = _with_cursor(segments, palette)
    if look.span is not None:
        mark = palette.accent + _REVERSED if look.here else palette.selection
        segments = _selected(segments, look.span, mark)
    styled = [Segment(text, ground + style if style else ground) for text, style, _ in segments]
    return _filtered(Strip(styled).adjust_cell_length(width, ground), base, filters)


def label_strip(text: str, width: int, base: Style, palette: Palette, filters: Sequence[LineFilter]) -> Strip:
    """A short marked text, or only its first sign where there is no room."""
    text = text if len(text) < width else text.strip()[: max(0, width)][:1]
    return _filtered(Strip([Segment(text, base + palette.marker)], len(text)), base, filters)


def _filtered(strip: Strip, base: Style, filters: Sequence[LineFilter]) -> Strip:
    if filters:
        background = Color.from_rich_color(base.bgcolor) if base.bgcolor else Color(0, 0, 0)
        for each in filters:
            strip = strip.apply_filter(each, background)
    return strip


def _with_cursor(segments: list[Segment], palette: Palette) -> list[Segment]:
    """The first cell, where it is blank, shows where the cursor is; colour alone would not do."""
    if not segments or not segments[0].text.startswith(" "):
        return segments
    first = segments[0]
    return [Segment(CURSOR, palette.accent), Segment(first.text[1:], first.style), *segments[1:]]


def _selected(segments: list[Segment], span: tuple[int, int], style: Style) -> list[Segment]:
    start, end = span
    out: list[Segment] = []
    at = 0
    for text, own, _ in segments:
        stop = at + len(text)
        left = max(at, start)
        right = stop if end < 0 else min(stop, end)
        if left >= right:
            out.append(Segment(text, own))
        else:
            if left > at:
                out.append(Segment(text[: left - at], own))
            out.append(Segment(text[left - at : right - at], own + style if own else style))
            if right < stop:
                out.append(Segment(text[right - at :], own))
        at = stop
    return out
