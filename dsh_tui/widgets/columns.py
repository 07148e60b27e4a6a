"""One line with a left and a right edge: what does not fit is cut with an ellipsis, left first."""

from __future__ import annotations

from textual.content import Content


def spread(left: Content, right: Content, width: int) -> Content:
    """``left`` and ``right`` at the edges of ``width`` cells; the right one stays whole if it can."""
    room = width - right.cell_length
    if room <= 1:
        return left.truncate(width, ellipsis=True)
    if left.cell_length > room - 1:
        left = left.truncate(room - 1, ellipsis=True)
    return Content.assemble(left, " " * (room - left.cell_length), right)


def cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` cells."""
    return Content(text).truncate(max(0, width), ellipsis=True).plain


def gauge(percent: float, cells: int = 1) -> str:
    """A bar of ``cells`` cells in eighths."""
    eighths = round(max(0.0, min(100.0, percent)) / 100 * cells * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")).ljust(cells)
