"""All sessions of the browser, so that one may type: what a filter looks into is written out once.

A key lists twice, for itself and again when what was said has been found: the second time the lines are
the same. Source: design §5 (Sessions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dsh_tui.engine.projection.views import SessionRow
from dsh_tui.widgets.session_list import Scope, SessionLine, arranged


class SessionShelf:
    """Rows that do not change any more; new ones are a new shelf."""

    def __init__(self, rows: Sequence[SessionRow], cwd: str) -> None:
        self.rows, self._cwd = rows, cwd
        self._asked: tuple[str, Scope] | None = None
        self._lines: Sequence[SessionLine] = ()

    @cached_property
    def by_id(self) -> Mapping[str, SessionRow]:
        return {row.id: row for row in self.rows}

    def filtered(self, words: str) -> Sequence[SessionRow]:
        """Rows whose title, project or id holds all words."""
        found: Sequence[SessionRow] = self.rows
        texts: Sequence[str] = self._texts if words.strip() else ()
        for word in words.lower().split():
            kept = [at for at, text in enumerate(texts) if word in text]
            found, texts = [found[at] for at in kept], [texts[at] for at in kept]
        return found

    def lines(self, words: str, scope: Scope) -> Sequence[SessionLine]:
        """What is listed of them."""
        if self._asked != (words, scope):
            self._asked, self._lines = (words, scope), arranged(self.filtered(words), scope, self._cwd)
        return self._lines

    @cached_property
    def _texts(self) -> Sequence[str]:
        return [f"{row.title}\n{row.project}\n{row.id}".lower() for row in self.rows]
