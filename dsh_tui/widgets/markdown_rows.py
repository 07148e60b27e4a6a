"""Markdown to rows, first version: plain text."""

from __future__ import annotations

from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import plain_rows
from dsh_tui.widgets.row import Row


class MarkdownRows:
    """Rows of a growing Markdown text."""

    def __init__(self, width: int, palette: Palette, *, widest: int) -> None:
        self._width = width
        self._palette = palette

    def show(self, text: str, *, done: bool) -> list[Row]:
        """All rows now."""
        return plain_rows(text, self._width, self._palette.text)

    def source_of(self, first: int, last: int) -> tuple[int, int, str] | None:
        """Nothing yet."""
        return None
