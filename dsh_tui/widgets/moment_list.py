"""The moments of a session, one a line: when, and what happened."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from textual.content import Content

from dsh_tui.engine.projection.moment_words import Words
from dsh_tui.engine.projection.timeline import Moment
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import one_line

_LOOKS: Final = {"turn": "bold", "prompt": "$accent", "plain": "", "quiet": "$dim", "warning": "$warning"}
WIDE: Final = 36

Told = tuple[int, Words]
"""Epoch milliseconds and the words."""


class MomentList(RowList[Moment]):
    """Told on demand by ``tell``, so that a hundred thousand cost what is on the screen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.tell: Callable[[Moment], Told] = lambda moment: (0, ("·", "", "quiet"))

    def draw(self, row: Moment, width: int) -> Content:
        at, (sign, words, weight) = self.tell(row)
        look = _LOOKS[weight]
        indent = "" if weight == "turn" else "  "
        left = Content.assemble((f"{indent}{sign} ", look or "$dim"), (one_line(words), look))
        when = time.strftime("%H:%M:%S", time.localtime(at / 1000)) if width >= WIDE else ""
        return spread(left, Content.styled(when, "$dim"), width)
