"""The moments of a session, one a line: when, and what happened."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from textual.cache import LRUCache
from textual.content import Content
from textual.strip import Strip

from dsh_tui.engine.projection.moment_words import Words
from dsh_tui.engine.projection.timeline import Moment
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import one_line

_LOOKS: Final = {"turn": "bold", "prompt": "$accent", "plain": "", "quiet": "$dim", "warning": "$warning"}
WIDE: Final = 36
KEPT: Final = 500
"""Drawn lines that are kept."""

Told = tuple[int, Words]
"""Epoch milliseconds and the words."""


class MomentList(RowList[Moment]):
    """Told on demand by ``tell``, so that a hundred thousand cost what is on the screen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.tell: Callable[[Moment], Told] = lambda moment: (0, ("·", "", "quiet"))
        self._drawn: LRUCache[tuple[int, int, bool], Strip] = LRUCache(KEPT)

    def show(self, rows: Sequence[Moment], highlighted: int = 0, *, still: bool = False) -> None:
        self._drawn.clear()
        super().show(rows, highlighted, still=still)

    def notify_style_update(self) -> None:
        self._drawn.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """From turn to turn most lines are the same, and all of them move."""
        at = y + self.scroll_offset.y
        key = (at, self.scrollable_content_region.width, at == self.highlighted)
        strip = self._drawn.get(key)
        if strip is None:
            strip = self._drawn[key] = super().render_line(y)
        return strip

    def draw(self, row: Moment, width: int) -> Content:
        at, (sign, words, weight) = self.tell(row)
        look = _LOOKS[weight]
        indent = "" if weight == "turn" else "  "
        left = Content.assemble((f"{indent}{sign} ", look or "$dim"), (one_line(words), look))
        when = time.strftime("%H:%M:%S", time.localtime(at / 1000)) if width >= WIDE else ""
        return spread(left, Content.styled(when, "$dim"), width)
