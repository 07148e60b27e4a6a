"""The two blocks that grow line by line and may grow long: a fence and a table.

Source: design §6 (one fenced block of 5,000 lines); CommonMark (fences), GFM (tables).
"""

from __future__ import annotations

import re

from dsh_tui.widgets.code_rows import CodeRows
from dsh_tui.widgets.markdown_blocks import Part
from dsh_tui.widgets.markdown_table import TableRows


class OpenCode:
    """A fence that has not been closed yet."""

    def __init__(self, part: Part, opening: str, start: int, rows: CodeRows) -> None:
        token = part.tokens[0]
        self.rows = rows
        self.start = start
        self.first_row = -1
        self.lines = 0
        self._indent = len(opening) - len(opening.lstrip(" "))
        mark = re.escape(token.markup[0])
        self._closing = re.compile(rf" {{0,3}}{mark}{{{len(token.markup)},}}[ \t\r]*\Z")
        self._closing_soon = re.compile(rf" {{0,3}}{mark}+[ \t\r]*\Z")

    def closes(self, line: str) -> bool:
        """Whether a complete line is the end of the fence."""
        return self._closing.match(line) is not None

    def may_close(self, line: str) -> bool:
        """Whether an incomplete line looks like becoming the end of the fence."""
        return self._closing_soon.match(line) is not None

    def bare(self, line: str) -> str:
        """A line without the indentation that the fence itself has."""
        indent = len(line) - len(line.lstrip(" "))
        return line[min(indent, self._indent) :]


class OpenTable:
    """A table to which rows may be added. ``head`` is the source of its first two lines."""

    def __init__(self, head: str, start: int, rows: TableRows) -> None:
        self.head = head
        self.start = start
        self.rows = rows
