"""An answer: Markdown, drawn while it streams. The one block that keeps state between views.

Source: design §3 row 18; screens spec (answers render as documents).
"""

from __future__ import annotations

from dsh_tui.engine.projection.views import AnswerView
from dsh_tui.widgets.layout import prose_width
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, row

_CUT = "○ cut off here"


class Answer:
    """The rows of one answer at one width; ``show`` draws what was added since the last view."""

    def __init__(self, width: int, palette: Palette) -> None:
        # here, because its parser is not needed before the first answer
        from dsh_tui.widgets.markdown_rows import MarkdownRows

        self._palette = palette
        self._markdown = MarkdownRows(prose_width(width), palette, widest=max(1, width - 5))
        self._shown: AnswerView | None = None
        self.rows: list[Row] = []

    def continues(self, view: AnswerView) -> bool:
        """Whether ``view`` is what was shown, or that and more."""
        shown = self._shown
        return shown is None or (not shown.done and view.text.startswith(shown.text)) or shown == view

    def show(self, view: AnswerView) -> None:
        """Bring the rows up to date."""
        if view == self._shown:
            return
        self._shown = view
        self.rows = self._markdown.show(view.text, done=view.done)
        if view.interrupted:
            self.rows = [*self.rows, row((_CUT, self._palette.warning), copied="")]

    def source_of(self, first: int, last: int) -> tuple[int, int, str] | None:
        """Markdown of the parts that lie wholly in rows ``first`` to ``last``, and the rows they take."""
        return self._markdown.source_of(first, last)
