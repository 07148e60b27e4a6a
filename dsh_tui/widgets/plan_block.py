"""A plan that was handed over: what became of it, and the plan itself as the document it is. Pure.

Approved it is open, since the work after it is held against it. Sent back it is folded, and while it waits,
as the dock shows it then.
Source: screens spec (answers render as documents); capabilities F (plan review).
"""

from __future__ import annotations

from typing import Final

from rich.style import Style

from dsh_tui.engine.projection.views import CallState, ToolView
from dsh_tui.widgets.layout import (
    DURATION,
    OUTPUT_EDGE,
    TEXT_EDGE,
    WIDE_ENOUGH,
    margin,
    prose_width,
    ruled,
    with_meta,
)
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import plain_rows
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.visible_text import one_line

_EDGE: Final = OUTPUT_EDGE + 3
_OPEN: Final[frozenset[CallState]] = frozenset({"running", "ok"})
_LOOKS: Final[dict[CallState, tuple[str, str]]] = {
    "waiting": ("◇", "waiting for you"),
    "running": ("●", "approved"),
    "ok": ("✓", "handed over"),
    "denied": ("✗", "sent back"),
    "failed": ("✗", ""),
}


def opens_itself(view: ToolView) -> bool:
    """Whether it is open until somebody folds it."""
    return view.state in _OPEN


def render(view: ToolView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """The plan's rows."""
    from dsh_tui.widgets.markdown_rows import MarkdownRows  # its parser is not needed before there is a plan

    rows = [_head(view, width, palette, name=one_line(view.subject) if folded else "")]
    room = max(1, min(prose_width(width, _EDGE), width - _EDGE))
    if view.feedback:
        rows += ruled(plain_rows(f"You said: {view.feedback}", room, palette.text), palette)
    if not folded:
        rows += ruled(MarkdownRows(room, palette, widest=room).show(view.plan, done=True), palette)
    return rows


def _head(view: ToolView, width: int, palette: Palette, *, name: str) -> Row:
    glyph, word = _LOOKS.get(view.state, ("○", view.state))
    told = word if not view.summary or view.summary == "by you" else view.summary
    colour = _colour(view.state, palette)
    left = [margin(TEXT_EDGE), (f"{glyph} ", colour), ("Plan    ", palette.text), (name, palette.text)]
    gap = " " * DURATION if width >= WIDE_ENOUGH else ""
    return with_meta(left, [(one_line(told), colour), (gap, palette.faint)], width, TEXT_EDGE)


def _colour(state: CallState, palette: Palette) -> Style:
    looks = {"waiting": palette.waiting, "ok": palette.ok, "running": palette.ok, "failed": palette.error}
    return looks.get(state, palette.warning)
