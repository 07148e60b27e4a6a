"""Where things stand in the transcript: left edges, the right column, numbers with units.

Source: screens spec (rules: aligned, honest).
"""

from __future__ import annotations

import time
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, fit, row

PROMPT_EDGE: Final = 2
TEXT_EDGE: Final = 4
OUTPUT_EDGE: Final = 6
PROSE: Final = 100
"""Prose wraps here however wide the terminal is."""
RIGHT_MARGIN: Final = 1
DURATION: Final = 10
"""Cells of the right column."""
WIDE_ENOUGH: Final = 60
"""Below this there is no right column but the most important word."""


def prose_width(width: int, edge: int = TEXT_EDGE) -> int:
    """Cells for prose that starts at ``edge``."""
    return max(1, min(PROSE, width - edge - RIGHT_MARGIN))


def margin(cells: int) -> tuple[str, Style]:
    """Blank cells in front of a row."""
    return (" " * cells, Style.null())


def with_meta(left: list[tuple[str, Style]], meta: list[tuple[str, Style]], width: int, gutter: int) -> Row:
    """A row with a right column; the left part gives way, its last piece is cut."""
    right = sum([cell_len(text) for text, _ in meta])
    used = sum([cell_len(text) for text, _ in left[:-1]])
    text, style = left[-1]
    room = width - RIGHT_MARGIN - used - (right + 2 if right else 0)
    if right and room < min(8, cell_len(text)):
        return with_meta(left, [], width, gutter)
    text = fit(text, max(0, room))
    space = width - RIGHT_MARGIN - used - cell_len(text) - right if right else 0
    return row(*left[:-1], (text, style), (" " * space, Style.null()), *meta, gutter=gutter)


def ruled(rows: list[Row], palette: Palette, edge: int = OUTPUT_EDGE) -> list[Row]:
    """Rows behind the ``│`` that marks output."""
    prefix = Segment(" " * edge + "│ ", palette.rule)
    size = edge + 2
    return [
        Row([prefix, *each.segments], size + each.cells, size + each.gutter, each.joint, each.copied)
        for each in rows
    ]


def duration(milliseconds: int) -> str:
    """``12 ms``, ``2.4 s``, ``42 s``, ``3 min 5 s``."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def tokens(count: int) -> str:
    """``980``, ``12.3k``, ``1.2M``."""
    if count < 1000:
        return str(count)
    if count < 100_000:
        return f"{count / 1000:.1f}k"
    return f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def clock(milliseconds: int) -> str:
    """Local time of day."""
    return time.strftime("%H:%M", time.localtime(milliseconds / 1000))


def lines(count: int, what: str = "") -> str:
    """``1 line``, ``14 more lines``."""
    noun = "line" if count == 1 else "lines"
    return f"{count} {what} {noun}" if what else f"{count} {noun}"
