"""Where one is in a session: a rule with a tick for each turn and a mark at this point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

MOST_TICKS: Final = 3
"""Cells that a turn needs for its tick to say anything."""


class ScrubBar(Widget, can_focus=False):
    """``place`` of ``length``; ``ticks`` are where turns begin."""

    DEFAULT_CSS = "ScrubBar { height: 1; padding: 0 1; }"

    place: reactive[int] = reactive(0)
    length: reactive[int] = reactive(0)
    ticks: reactive[Sequence[int]] = reactive(())

    def render(self) -> RenderResult:
        return scrub_line(self.place, self.length, self.ticks, self.content_region.width)


def scrub_line(place: int, length: int, ticks: Sequence[int], width: int) -> Content:
    """The line at a width."""
    if length <= 0 or width <= 0:
        return Content("")

    def cell(of: int) -> int:
        return min(width - 1, of * (width - 1) // max(1, length - 1))

    here = cell(place)
    marks = {cell(tick) for tick in ticks} if len(ticks) * MOST_TICKS <= width else set()
    done = "".join("┷" if at in marks else "━" for at in range(here))
    ahead = "".join("┴" if at in marks else "─" for at in range(here + 1, width))
    return Content.assemble((done, "$accent"), ("●", "bold $accent"), (ahead, "$frame"))
