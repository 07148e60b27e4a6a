"""A compaction in the transcript: one row, and the summary when it is opened. View to rows, pure.

Source: ux spec §1c (compaction as one collapsed row at its place).
"""

from __future__ import annotations

from rich.segment import Segment

from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.compactions import words
from dsh_tui.widgets.layout import TEXT_EDGE, margin, prose_width, ruled, with_meta
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import plain_rows
from dsh_tui.widgets.row import Row, prefixed
from dsh_tui.widgets.visible_text import one_line


def render(view: CompactionView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """One row, or all of the summary behind a rule; a failure has as many rows as it needs."""
    if not view.summary or view.state == "failed":
        quiet = view.state in ("running", "cancelled", "done") and not view.retry
        style = palette.dim if quiet else palette.warning
        rows = plain_rows(words(view), prose_width(width, TEXT_EDGE + 2), style)
        sign = Segment(" " * TEXT_EDGE + "≡ ", style)
        return prefixed(rows, sign, Segment(" " * (TEXT_EDGE + 2)), TEXT_EDGE + 2)
    parts = [margin(TEXT_EDGE), (f"≡ {one_line(words(view))}", palette.dim)]
    head = with_meta(parts, [("▸" if folded else "▾", palette.faint)], width, TEXT_EDGE)
    if folded:
        return [head]
    text = f"Above all: {view.keep}\n\n{view.summary}" if view.keep else view.summary
    return [head, *ruled(plain_rows(text, prose_width(width, 8), palette.dim), palette)]
