"""Block structure of Markdown to rows: headings, lists, quotes, code, tables, rules.

Spacing is local: a blank row stands between two items of a list only where one stands between
them in the source, so that an item can be drawn before the list is over.
Source: screens spec (answers).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.code_rows import code_rows
from dsh_tui.widgets.markdown_inline import Env, Inline
from dsh_tui.widgets.markdown_table import Cell, TableRows
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import BLANK, Row, prefixed, row
from dsh_tui.widgets.wrap import wrap

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_DEEPEST = 12  # nested deeper than this, containers no longer indent
_BULLETS = ("•", "◦", "▪")
_TASK = re.compile(r"\[([ xX])\] +(?=\S)")


def parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough; HTML is text."""
    from markdown_it import MarkdownIt  # not before the first answer: it costs a tenth of the start

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


class Part(NamedTuple):
    """A run of tokens that makes one block, and the source lines it stands on."""

    kind: str
    tokens: Sequence[Token]
    start: int
    end: int


def parts(tokens: Sequence[Token]) -> Iterator[Part]:
    """The blocks of one level."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        last = at
        if token.nesting == 1:
            depth = 1
            while depth:
                last += 1
                depth += tokens[last].nesting
        start, end = token.map or (0, 0)
        yield Part(token.type, tokens[at : last + 1], start, end)
        at = last + 1


class Numbering(NamedTuple):
    """Where an ordered list stands: a list of the same marker that goes on in the next parse counts on."""

    marker: str
    number: int


@dataclass(slots=True)
class Painter:
    """Draws blocks at one width. ``lines`` is the source that the tokens' maps point into."""

    parser: MarkdownIt
    palette: Palette
    env: Env
    lines: Sequence[str]
    widest: int
    """Cells for code and tables, which may be wider than prose."""
    inline: Inline = field(init=False)

    def __post_init__(self) -> None:
        self.inline = Inline(self.parser, self.palette)

    def block(self, part: Part, width: int, *, depth: int = 0, style: Style | None = None) -> list[Row]:
        """The rows of one block."""
        style = self.palette.text if style is None else style
        kind, tokens = part.kind, part.tokens
        wide = width if depth else self.widest
        if kind == "paragraph_open":
            return self.text(tokens[1].content, width, style)
        if kind == "heading_open":
            return self._heading(tokens[0].tag, tokens[1].content, width)
        if kind in ("bullet_list_open", "ordered_list_open"):
            return self._list(part, width, depth, style)
        if kind == "blockquote_open":
            bar = Segment("│ ", self.palette.rule)
            inside = self.blocks(tokens[1:-1], max(1, width - 2), depth + 1, self.palette.dim)
            return prefixed(inside, bar, bar, 2) if depth < _DEEPEST else inside
        if kind in ("fence", "code_block"):
            return code_rows(tokens[0].content, tokens[0].info, wide, self.palette)
        if kind == "table_open":
            return self.table(tokens, wide).rows()
        if kind == "hr":
            return [row(("─" * min(width, 40), self.palette.rule), copied="---")]
        return self.text(tokens[0].content, width, style)

    def text(self, source: str, width: int, style: Style) -> list[Row]:
        """Inline content, wrapped."""
        out: list[Row] = []
        for line in self.inline.lines(source, self.env, style):
            out.extend(wrap(line, width))
        return out

    def blocks(self, tokens: Sequence[Token], width: int, depth: int, style: Style) -> list[Row]:
        """The blocks inside a container, with blank rows where the source has blank lines."""
        out: list[Row] = []
        before: Part | None = None
        for part in parts(tokens):
            if before is not None and self.blank_between(before, part):
                out.append(BLANK)
            out.extend(self.block(part, width, depth=depth, style=style))
            before = part
        return out

    def blank_between(self, before: Part, after: Part) -> bool:
        """Whether the source has a blank line between two blocks."""
        line = after.start - 1
        return before.start <= line < len(self.lines) and not self.lines[line].strip(" \t>")

    def item(self, part: Part, marker: str, width: int, depth: int, style: Style) -> list[Row]:
        """One item of a list behind its marker, hanging; a task behind what says whether it is done."""
        tokens, look = part.tokens[1:-1], self.palette.dim
        task = _TASK.match(tokens[1].content) if len(tokens) > 1 else None
        if task is not None:
            done = task[1] != " "
            marker = ("" if marker.strip() in _BULLETS else marker) + ("✓ " if done else "○ ")
            look = self.palette.ok if done else look
            tokens = [tokens[0], tokens[1].copy(content=tokens[1].content[task.end() :]), *tokens[2:]]
        cells = len(marker)
        inside = self.blocks(tokens, max(1, width - cells), depth + 1, style)
        if depth >= _DEEPEST:
            return inside or [BLANK]
        return prefixed(inside or [BLANK], Segment(marker, look), Segment(" " * cells), cells)

    def _list(self, part: Part, width: int, depth: int, style: Style) -> list[Row]:
        out: list[Row] = []
        before: Part | None = None
        for item, marker in self.items(part, depth):
            if before is not None and self.blank_between(before, item):
                out.append(BLANK)
            out.extend(self.item(item, marker, width, depth, style))
            before = item
        return out

    def items(self, part: Part, depth: int, going_on: Numbering | None = None) -> Iterator[tuple[Part, str]]:
        """Items with their markers."""
        number = self.first_number(part, going_on)
        for item in parts(part.tokens[1:-1]):
            if part.kind == "ordered_list_open":
                yield item, f"{number}{part.tokens[0].markup} "
                number += 1
            else:
                yield item, f"{_BULLETS[min(depth, len(_BULLETS) - 1)]} "

    @staticmethod
    def first_number(part: Part, going_on: Numbering | None) -> int:
        """The number of a list's first item."""
        opening = part.tokens[0]
        if going_on is not None and going_on.marker == opening.markup:
            return going_on.number
        return int(opening.attrs.get("start", 1))

    def _heading(self, tag: str, source: str, width: int) -> list[Row]:
        style = self.palette.heading
        if tag == "h1":
            style += Style(underline=True)
        elif tag not in ("h2", "h3"):
            style += Style(italic=True)
        return self.text(source, width, style)

    def table(self, tokens: Sequence[Token], width: int) -> TableRows:
        """A table with all its rows."""
        header, aligns = self.cells(tokens)[0], self.aligns(tokens)
        table = TableRows(header, aligns, width, self.palette)
        for cells in self.cells(tokens)[1:]:
            table.add(cells)
        return table

    def cells(self, tokens: Sequence[Token]) -> list[list[Cell]]:
        """The cells of each row, the header's first."""
        rows: list[list[Cell]] = []
        for at, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                lines = self.inline.lines(tokens[at + 1].content, self.env, self.palette.text)
                rows[-1].append([segment for line in lines for segment in line])
        return rows

    @staticmethod
    def aligns(tokens: Sequence[Token]) -> list[str]:
        """Alignment of each column."""
        found = []
        for token in tokens:
            if token.type == "th_open":
                found.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "thead_close":
                break
        return found
