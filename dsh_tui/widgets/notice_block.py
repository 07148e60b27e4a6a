"""A notice: what happened, and the next thing to do. View to rows, pure.

Source: screens spec (errors say what happened, what it means, and the next key).
"""

from __future__ import annotations

from typing import Final

from rich.segment import Segment

from dsh_tui.engine.projection.views import NoticeView, Tone
from dsh_tui.widgets.layout import TEXT_EDGE, prose_width
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import plain_rows
from dsh_tui.widgets.row import Row, prefixed

_GLYPHS: Final[dict[Tone, str]] = {"info": "◇", "ok": "✓", "warning": "▲", "error": "✗"}


def render(view: NoticeView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """All of the notice; notices do not fold."""
    del folded
    style = palette.tone(view.tone)
    room = prose_width(width, TEXT_EDGE + 2)
    rows = plain_rows(view.text, room, style)
    if view.hint:
        rows.extend(plain_rows(view.hint, room, palette.dim))
    first = Segment(" " * TEXT_EDGE + _GLYPHS[view.tone] + " ", style)
    return prefixed(rows, first, Segment(" " * (TEXT_EDGE + 2)), TEXT_EDGE + 2)
