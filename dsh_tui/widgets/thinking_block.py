"""What the model thought: one line until opened. View to rows, pure.

Live, the line follows the thought; settled, it shows how it began.
Source: ux spec §1c (thinking row); screens spec.
"""

from __future__ import annotations

from dsh_tui.engine.projection.views import ThinkingView
from dsh_tui.widgets.layout import TEXT_EDGE, duration, margin, prose_width, ruled, with_meta
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import plain_rows
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.visible_text import one_line

_GLANCE = 400  # characters from which the line is made


def render(view: ThinkingView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """One row, or all of the thought behind a rule."""
    if view.done:
        took = f" {duration(view.duration_ms)}" if view.duration_ms else ""
        head, line = f"∴ Thought{took}", view.text[:_GLANCE].strip().partition("\n")[0]
    else:
        head, line = "∴ Thinking", view.text[-_GLANCE:].strip().rpartition("\n")[2]
    parts = [margin(TEXT_EDGE), (head, palette.dim), (f" · {one_line(line)}", palette.faint)]
    first = with_meta(parts, [("▸" if folded else "▾", palette.faint)], width, TEXT_EDGE)
    if folded:
        return [first]
    return [first, *ruled(plain_rows(view.text.strip(), prose_width(width, 8), palette.dim), palette)]
