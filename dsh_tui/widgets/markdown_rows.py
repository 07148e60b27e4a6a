"""A growing Markdown text as rows, drawing each part once.

Invariant: blocks, list items, lines of code and rows of a table are settled as soon as a complete
line of source begins what follows them; only what is open is drawn again. The rows of a finished
text are the same however it arrived, but for link references that are defined after their use.
Source: design §3 row 18, §6; CommonMark (blocks are closed by lines, never reopened).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment

from dsh_tui.widgets.code_rows import CodeRows
from dsh_tui.widgets.markdown_blocks import Numbering, Painter, Part, parser, parts
from dsh_tui.widgets.markdown_inline import Env
from dsh_tui.widgets.markdown_open import OpenCode, OpenTable
from dsh_tui.widgets.markdown_table import TableRows
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import BLANK, Row
from dsh_tui.widgets.visible_text import drawn

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LARGE = 16_384
"""Characters: an open block beyond this (an endless paragraph) is drawn again only as it grows by a part."""
_GROWTH = 16
_LISTS = ("bullet_list_open", "ordered_list_open")


@lru_cache(1)
def _shared_parser() -> MarkdownIt:
    return parser()


class _Tail(NamedTuple):
    """What is not settled, parsed."""

    painter: Painter
    blocks: list[Part]
    offsets: list[int]
    """Where each of its lines begins in the text, and where the text ends."""
    complete: int
    """Lines that will not grow."""

    def at(self, line: int) -> int:
        return self.offsets[min(line, len(self.offsets) - 1)]


class MarkdownRows:
    """The rows of one text. Give it the text again whenever it has grown."""

    def __init__(self, width: int, palette: Palette, *, widest: int) -> None:
        self._width = width
        self._widest = max(width, widest)
        self._palette = palette
        self._parser = _shared_parser()
        self._rows: list[Row] = []
        self._text = ""
        self._done = False
        self._settled = 0  # rows that will not change
        self._offset = 0  # characters that they stand for
        self._spans: list[tuple[int, int, int, int]] = []  # rows and source of each settled part
        self._references: dict[str, dict[str, object]] = {}
        self._gap = False  # whether a blank row stands in front of the next part
        self._numbering: Numbering | None = None  # of the list that goes on at the offset
        self._code: OpenCode | None = None
        self._table: OpenTable | None = None

    def show(self, text: str, *, done: bool) -> list[Row]:
        """All rows of a text that begins with the one shown before. The list is the same one each time."""
        if (len(text) == len(self._text) and done == self._done) or self._too_soon(text, done=done):
            return self._rows
        self._text, self._done = text, done
        del self._rows[self._settled :]
        while self._advance():
            pass
        return self._rows

    def source_of(self, first: int, last: int) -> tuple[int, int, str] | None:
        """Source of the parts wholly inside rows ``first`` to ``last``, and their rows, end exclusive."""
        inside = [span for span in self._spans if first <= span[0] and span[1] - 1 <= last]
        if not inside:
            return None
        return inside[0][0], inside[-1][1], self._text[inside[0][2] : inside[-1][3]]

    def sources_in(self, first: int, last: int) -> list[str]:
        """Source of every settled part that has a row among these."""
        return [
            self._text[start:end] for top, bottom, start, end in self._spans if top <= last and first < bottom
        ]

    def _too_soon(self, text: str, *, done: bool) -> bool:
        tail = len(text) - self._offset
        if done or self._code is not None or self._table is not None or tail < LARGE:
            return False
        return len(text) - len(self._text) < tail // _GROWTH

    def _advance(self) -> bool:
        """Draw what can be drawn; True if that opened or closed something and there is more to do."""
        if self._code is not None:
            return self._add_code(self._code)
        if self._table is not None:
            return self._add_table_rows(self._table)
        return self._add_blocks()

    # Blocks in general

    def _add_blocks(self) -> bool:
        tail = self._parse_tail()
        for number, part in enumerate(tail.blocks):
            following = tail.blocks[number + 1].start if number + 1 < len(tail.blocks) else None
            if self._done or (following is not None and following < tail.complete):
                self._settle_block(tail, part)
                self._settle_at(tail, following)
            else:
                return self._leave_open(tail, tail.blocks[number:])
        return False

    def _parse_tail(self) -> _Tail:
        raw = self._text[self._offset :]
        source = drawn(raw)
        lines = source.split("\n")
        env: Env = {"references": dict(self._references)}
        tokens: list[Token] = []
        if source:
            self._parser.block.parse(source, self._parser, env, tokens)
        offsets = [self._offset]
        for line in raw.split("\n"):
            offsets.append(offsets[-1] + len(line) + 1)
        offsets[-1] = len(self._text)
        painter = Painter(self._parser, self._palette, env, lines, self._widest)
        return _Tail(painter, list(parts(tokens)), offsets, len(lines) - 1)

    def _settle_block(self, tail: _Tail, part: Part) -> None:
        if part.kind in _LISTS:
            for rows, item, gap in self._items(tail, part):
                self._add(rows, tail.at(item.start), tail.at(item.end), gap=gap)
        else:
            rows = tail.painter.block(part, self._width)
            self._add(rows, tail.at(part.start), tail.at(part.end), gap=self._gap)
        self._gap, self._numbering = True, None

    def _settle_at(self, tail: _Tail, line: int | None) -> None:
        """Everything in front of a line of the tail is settled; of the whole text if None."""
        self._offset = len(self._text) if line is None else tail.at(line)
        for label, reference in tail.painter.env["references"].items():
            if line is None or reference["map"][1] <= line:
                self._references.setdefault(label, reference)

    def _items(self, tail: _Tail, part: Part) -> list[tuple[list[Row], Part, bool]]:
        """Rows of each item, and whether a blank row stands in front of it."""
        out: list[tuple[list[Row], Part, bool]] = []
        painter = tail.painter
        for item, marker in painter.items(part, 0, self._numbering):
            gap = painter.blank_between(out[-1][1], item) if out else self._gap
            out.append((painter.item(item, marker, self._width, 0, self._palette.text), item, gap))
        return out

    def _add(self, rows: list[Row], start: int, end: int, *, gap: bool) -> None:
        if gap and self._rows:
            self._rows.append(BLANK)
        first = len(self._rows)
        self._rows += rows
        self._settled = len(self._rows)
        self._spans.append((first, self._settled, start, end))

    def _leave_open(self, tail: _Tail, blocks: Sequence[Part]) -> bool:
        """Draw what is open; True if that is a block that grows by lines, which comes next."""
        first, rest = blocks[0], list(blocks)
        if first.kind == "fence" and first.start < tail.complete:
            self._open_code(tail, first)
            return True
        if first.kind == "table_open" and first.start + 1 < tail.complete:
            self._open_table(tail, first)
            return True
        gap = self._gap
        if first.kind in _LISTS:
            gap = self._draw_open_list(tail, first)
            del rest[0]
        for part in rest:
            if gap and self._rows:
                self._rows.append(BLANK)
            self._rows += tail.painter.block(part, self._width)
            gap = True
        return False

    def _draw_open_list(self, tail: _Tail, part: Part) -> bool:
        """Settle the items that others follow, draw the rest."""
        items = self._items(tail, part)
        first_number = tail.painter.first_number(part, self._numbering)
        for number, (rows, item, gap) in enumerate(items):
            following = items[number + 1][1].start if number + 1 < len(items) else None
            if following is not None and following < tail.complete:
                self._add(rows, tail.at(item.start), tail.at(item.end), gap=gap)
                self._settle_at(tail, following)
                self._gap = items[number + 1][2]
                self._numbering = Numbering(part.tokens[0].markup, first_number + number + 1)
                continue
            if gap and self._rows:
                self._rows.append(BLANK)
            self._rows += rows
        return True

    # A fence

    def _open_code(self, tail: _Tail, part: Part) -> None:
        if self._gap and self._rows:
            self._rows.append(BLANK)
        rows = CodeRows(part.tokens[0].info, self._widest, self._palette)
        self._code = OpenCode(part, tail.painter.lines[part.start], tail.at(part.start), rows)
        self._code.first_row = len(self._rows)
        self._rows += rows.label
        self._settled = len(self._rows)
        self._settle_at(tail, part.start + 1)

    def _add_code(self, code: OpenCode) -> bool:
        text = self._text
        while (end := text.find("\n", self._offset)) >= 0:
            line = text[self._offset : end].removesuffix("\r")
            self._offset = end + 1
            if code.closes(line):
                return self._close_code(code)
            self._rows += code.rows.line(code.bare(line))
            code.lines += 1
        self._settled = len(self._rows)
        line = text[self._offset :]
        if self._done:
            self._offset = len(text)
            if line and not code.closes(line):
                self._rows += code.rows.line(code.bare(line))
                code.lines += 1
            return self._close_code(code)
        if line and not code.may_close(line):
            self._rows += code.rows.peek(code.bare(line))
        return False

    def _close_code(self, code: OpenCode) -> bool:
        if not code.lines and not code.rows.label:
            self._rows += code.rows.line("")
        self._settled = len(self._rows)
        self._spans.append((code.first_row, self._settled, code.start, self._offset))
        self._code, self._gap = None, True
        self._numbering = None
        return True

    # A table

    def _open_table(self, tail: _Tail, part: Part) -> None:
        if self._gap and self._rows:
            self._rows.append(BLANK)
            self._settled = len(self._rows)
        painter = tail.painter
        header = painter.cells(part.tokens)[0]
        rows = TableRows(header, painter.aligns(part.tokens), self._widest, self._palette)
        head = "\n".join(painter.lines[part.start : part.start + 2])
        self._table = OpenTable(head, tail.at(part.start), rows)
        self._settle_at(tail, part.start + 2)

    def _add_table_rows(self, table: OpenTable) -> bool:
        text = self._text
        end = len(text) if self._done else text.rfind("\n", self._offset) + 1
        lines = text[self._offset : end].split("\n") if end > self._offset else []
        if lines and not lines[-1]:
            lines.pop()
        for cells in (cells_of := self._cells(table, lines)):
            table.rows.add(cells)
        self._offset = min(len(text), self._offset + sum([len(line) + 1 for line in lines[: len(cells_of)]]))
        self._rows += table.rows.rows()
        if self._done or len(cells_of) < len(lines):
            self._spans.append((self._settled, len(self._rows), table.start, self._offset))
            self._settled, self._table, self._gap = len(self._rows), None, True
            return True
        for cells in self._cells(table, [text[self._offset :]]) if self._offset < len(text) else []:
            self._rows += table.rows.peek(cells)
        return False

    def _cells(self, table: OpenTable, lines: Sequence[str]) -> list[list[list[Segment]]]:
        """Cells of the lines that are rows of the table; the first that is none ends it."""
        if not lines:
            return []
        source = drawn("\n".join([table.head, *lines]))
        env: Env = {"references": dict(self._references)}
        tokens: list[Token] = []
        self._parser.block.parse(source, self._parser, env, tokens)
        painter = Painter(self._parser, self._palette, env, (), self._widest)
        return painter.cells(next(parts(tokens)).tokens)[1:]
