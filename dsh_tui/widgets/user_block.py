"""What a person said, or what was added for the model in their name. View to rows, pure.

Source: screens spec (prompts at 2); ux spec §1c (context as a collapsed, source-named row).
"""

from __future__ import annotations

from rich.segment import Segment

from dsh_tui.engine.projection.views import UserView
from dsh_tui.widgets.layout import (
    PROMPT_EDGE,
    TEXT_EDGE,
    clock,
    lines,
    margin,
    prose_width,
    ruled,
    with_meta,
)
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import capped, plain_rows
from dsh_tui.widgets.row import Row, prefixed
from dsh_tui.widgets.visible_text import one_line

FOLDED_LINES = 12
"""Rows of a long prompt that show until it is opened."""


def render(view: UserView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """Rows of a prompt, a steering message, context or a refused prompt."""
    if view.origin == "context":
        return _context(view, width, palette, folded=folded)
    style = palette.dim if view.origin == "blocked" else palette.strong
    room = prose_width(width) - 7  # the time of day stands beside the first row
    rows = plain_rows(view.text, max(room, 8), style)
    if folded:
        rows = capped(rows, FOLDED_LINES, palette)
    bar = Segment(" " * PROMPT_EDGE + "▌ ", palette.error if view.origin == "blocked" else palette.accent)
    rows = prefixed(rows, bar, bar, TEXT_EDGE)
    rows[0] = _timed(rows[0], view, width, palette)
    if view.origin == "blocked":
        reason = f"▲ not sent: {one_line(view.producer) or 'refused'}"
        rows.append(with_meta([margin(TEXT_EDGE), (reason, palette.warning)], [], width, TEXT_EDGE))
    return rows


def _timed(first: Row, view: UserView, width: int, palette: Palette) -> Row:
    told = clock(view.time)
    if view.origin == "steering":
        told = f"steering {told}"
    space = width - 1 - first.cells - len(told)
    if space < 2:
        return first
    segments = [*first.segments, Segment(" " * space + told, palette.faint)]
    return Row(segments, width - 1, first.gutter, first.joint, first.content)


def _gist(text: str) -> str:
    """What it begins with; of what stands in a tag, which only says who speaks, how long it is."""
    first = text.strip().partition("\n")[0]
    return one_line(first) if first and not first.startswith("<") else lines(text.count("\n") + 1)


def _context(view: UserView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    label = f"◇ Context from {one_line(view.producer) or 'a plugin'} · {_gist(view.text)}"
    sign = [("▸" if folded else "▾", palette.faint)]
    head = with_meta([margin(TEXT_EDGE), (label, palette.dim)], sign, width, TEXT_EDGE)
    if folded:
        return [head]
    return [head, *ruled(plain_rows(view.text, prose_width(width, 8), palette.dim), palette)]
