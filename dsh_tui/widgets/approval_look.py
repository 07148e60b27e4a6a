"""How the approval dock looks, and what it takes of the screen.

Source: screens spec (chat, 80×24; dock).
"""

from __future__ import annotations

from typing import Final

from textual.geometry import Size

SMALLEST: Final = Size(36, 10)
"""The screen below which nothing can be read well enough to be answered."""
TIGHT: Final = 16
"""Rows of the screen below which its header and composer have one row each."""
SHORT: Final = 20
"""Rows of the screen below which the dock has one line above the card."""

DOCK_CSS: Final = """
ApprovalDock {
    display: none;
    height: auto;
    max-height: 70vh;
    padding: 0 1;
    border: round $waiting;
    border-title-color: $waiting;
    border-title-style: none;
    border-subtitle-color: $dim;
    &.-pending { display: block; }
    & > CardText { padding: 0 0 0 1; }
    & > #more { height: 1; padding: 0 0 0 1; color: $warning; }
    & > RefusalEntry { display: none; }
    & > #small { display: none; color: $warning; }
    &.-danger { border: round $error; border-title-color: $error; }
    &.-refusing > RefusalEntry { display: block; }
    &.-refusing > AnswerRow { display: none; }
    &.-short > #more { display: none; }
    &.-short RefusalEntry { max-height: 2; }
    &.-too-small > *, &.-too-small > #more { display: none; }
    &.-too-small > #small { display: block; }
}
"""


def is_too_small(screen: Size) -> bool:
    """Whether nothing can be answered there."""
    return screen.width < SMALLEST.width or screen.height < SMALLEST.height


def card_height(rows: int, *, wide_open: bool) -> int:
    """Rows of the card on a screen of so many: all that the answers and the composer leave, up to a third.

    ``wide_open``: up to half, for what must be seen whole.
    """
    if rows < TIGHT:
        return max(1, rows - 10)  # and a row for what is queued
    if rows < SHORT:
        return rows - 13
    return min(rows // 2 if wide_open else rows * 3 // 10, rows - 16)
