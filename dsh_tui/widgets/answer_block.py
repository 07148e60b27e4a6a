"""An answer: Markdown, drawn while it streams. The one block that keeps state between views.

Source: design §3 row 18; screens spec (answers render as documents).
"""

from __future__ import annotations

import re

from rich.segment import Segment

from dsh_tui.engine.projection.views import AnswerView
from dsh_tui.widgets.layout import TEXT_EDGE, prose_width, with_meta
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, row
from dsh_tui.widgets.visible_text import one_line
from dsh_tui.widgets.wrap import wrap

_CUT = "○ cut off here"
_HALF = "○ Cut answer"
_GLANCE = 400  # characters from which the line of a half answer is made
_TARGET = re.compile(r"\[([^\[\]\n]+)\]\(<?([^\s()<>]+)|<((?:https?|mailto):[^\s<>]+)>")
_FENCE = ("```", "~~~")


def has_links(text: str) -> bool:
    """Whether an answer has link targets to show."""
    return _TARGET.search(text) is not None


class Answer:
    """The rows of one answer at one width; ``show`` draws what was added since the last view."""

    def __init__(self, width: int, palette: Palette) -> None:
        # here, because its parser is not needed before the first answer
        from dsh_tui.widgets.markdown_rows import MarkdownRows

        self._palette = palette
        self._view_width = width
        self._width = max(1, width - 5)
        self._markdown = MarkdownRows(prose_width(width), palette, widest=self._width)
        self._shown: AnswerView | None = None
        self._folded = True
        self.rows: list[Row] = []

    def continues(self, view: AnswerView) -> bool:
        """Whether ``view`` is what was shown, or that and more."""
        shown = self._shown
        return shown is None or (not shown.done and view.text.startswith(shown.text)) or shown == view

    def show(self, view: AnswerView, *, folded: bool = True) -> None:
        """Bring the rows up to date. Opened, the targets of its links follow."""
        if view == self._shown and folded == self._folded:
            return
        self._shown, self._folded = view, folded
        if view.answered_again and folded:
            self.rows = [self._half(view)]
            return
        self.rows = self._markdown.show(view.text, done=view.done)
        if view.interrupted:
            self.rows = [*self.rows, row((_CUT, self._palette.warning), copied="")]
        if not folded:
            self.rows = [*self.rows, *self._targets(view.text)]

    def _half(self, view: AnswerView) -> Row:
        """One line for what was said again in full below."""
        line = one_line(view.text[:_GLANCE].strip().partition("\n")[0])
        parts = [(_HALF, self._palette.dim), (f" · {line}", self._palette.faint)]
        return with_meta(parts, [("▸", self._palette.faint)], self._view_width - TEXT_EDGE, 0)

    def _targets(self, text: str) -> list[Row]:
        out: list[Row] = []
        for label, target, bare in _TARGET.findall(text):
            parts = [Segment(f"{one_line(label)} ", self._palette.dim)] if label else []
            parts += [
                Segment("→ ", self._palette.faint),
                Segment(one_line(target or bare), self._palette.link),
            ]
            out += wrap(parts, self._width)
        return out

    def code_at(self, first: int, last: int) -> str | None:
        """The first piece of code that has a row among these, without its fence."""
        for source in self._markdown.sources_in(first, last):
            body = source.strip("\n").split("\n")
            if body[0].lstrip().startswith(_FENCE):
                closed = len(body) > 1 and body[-1].lstrip().startswith(_FENCE)
                return "\n".join(body[1:-1] if closed else body[1:])
        return None

    def source_of(self, first: int, last: int) -> tuple[int, int, str] | None:
        """Markdown of the parts that lie wholly in rows ``first`` to ``last``, and the rows they take."""
        return self._markdown.source_of(first, last)
