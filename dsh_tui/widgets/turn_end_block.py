"""The line that closes a turn: how it ended and what it took; it opens to a receipt. View to rows, pure.

Source: screens spec (calm, numbers carry units); ux spec §3 (turn receipt).
"""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.projection.views import TurnEndView
from dsh_tui.widgets.layout import TEXT_EDGE, duration, margin, tokens, with_meta
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.turn_receipt import receipt_rows
from dsh_tui.widgets.visible_text import one_line

_WORDS: Final = {
    "completed": "✓ done",
    "aborted": "○ stopped",
    "error": "✗ failed",
    "interrupted": "○ interrupted",
    "max-tokens": "▲ cut at the output limit",
    "disposed": "○ closed",
    "rejected": "▲ refused",
}


def render(view: TurnEndView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """One quiet row; opened, the receipt under it."""
    parts = [f"{_WORDS.get(view.reason) or one_line(view.reason) or 'ended'} {duration(view.duration_ms)}"]
    if view.tokens_in or view.tokens_out:
        parts.append(f"{tokens(view.tokens_in)} tokens in")
        parts.append(f"{tokens(view.tokens_out)} out")
    if view.cache_percent is not None:
        parts.append(f"cache {view.cache_percent} %")
    if view.cost.words:
        parts.append(view.cost.words)
    text = " · ".join(parts)
    sign = [("▸" if folded else "▾", palette.faint)]
    head = with_meta([margin(TEXT_EDGE), (text, palette.faint)], sign, width, TEXT_EDGE)
    return [head] if folded else [head, *receipt_rows(view, width, palette)]
