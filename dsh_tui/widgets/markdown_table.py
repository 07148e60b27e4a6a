"""A table fitted to the width: columns where they fit, records of name and value where not.

Rows can be added one by one; those above are laid out again only when a column got wider.
Source: screens spec (answers).
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import BLANK, Row, prefixed
from dsh_tui.widgets.wrap import wrap

Cell = list[Segment]
SEPARATOR = "  "
NARROWEST = 6
"""Cells; a column that would be narrower makes records of the table."""


class TableRows:
    """The rows of one table."""

    def __init__(self, header: Sequence[Cell], aligns: Sequence[str], width: int, palette: Palette) -> None:
        self._header = list(header)
        self._aligns = list(aligns)
        self._width = width
        self._palette = palette
        self._cells: list[list[Cell]] = []
        self._natural = [_cells(cell) for cell in header]
        self._fitted: list[int] | None = None
        self._drawn: list[Row] = []
        self._count = -1  # body rows among the drawn

    def add(self, cells: Sequence[Cell]) -> None:
        """One more row of the body; missing cells are empty."""
        row = [*cells, *[[] for _ in self._header[len(cells) :]]][: len(self._header)]
        self._cells.append(row)
        self._natural = [max(old, _cells(cell)) for old, cell in zip(self._natural, row, strict=True)]

    def peek(self, cells: Sequence[Cell]) -> list[Row]:
        """A row that is not complete yet, in the columns as they are; changes nothing."""
        cells = [*cells, *[[] for _ in self._header[len(cells) :]]][: len(self._header)]
        if self._fitted is None:
            return self._record(cells)
        return self._line(cells, self._fitted, Style.null())

    def rows(self) -> list[Row]:
        """All rows drawn."""
        fitted = fit_columns(self._natural, self._width)
        if self._count < 0 or fitted != self._fitted:
            self._fitted, self._count = fitted, 0
            self._drawn = [] if fitted is None else self._head(fitted)
        for cells in self._cells[self._count :]:
            if fitted is None:
                self._drawn.extend(self._record(cells))
            else:
                self._drawn.extend(self._line(cells, fitted, Style.null()))
        self._count = len(self._cells)
        if fitted is None and not self._cells:
            return wrap([part for cell in self._header for part in (*cell, Segment(" "))], self._width)
        return list(self._drawn)

    def _head(self, fitted: list[int]) -> list[Row]:
        rule = Segment(SEPARATOR.join("─" * cells for cells in fitted), self._palette.rule)
        under = Row((rule,), cell_len(rule.text), copied="")
        return [*self._line(self._header, fitted, Style(bold=True)), under]

    def _line(self, cells: Sequence[Cell], fitted: list[int], style: Style) -> list[Row]:
        columns = [
            wrap(
                [Segment(text, (own or Style.null()) + style) for text, own, _ in cell] or [Segment("")],
                cells_,
            )
            for cell, cells_ in zip(cells, fitted, strict=True)
        ]
        out: list[Row] = []
        for at in range(max(map(len, columns))):
            parts: list[Segment] = []
            for number, (column, size) in enumerate(zip(columns, fitted, strict=True)):
                row = column[at] if at < len(column) else BLANK
                space = max(0, size - row.cells)
                left = {"right": space, "center": space // 2}.get(self._aligns[number], 0)
                parts += [Segment(" " * left), *row.segments, Segment(" " * (space - left) + SEPARATOR)]
            total = sum(fitted) + len(SEPARATOR) * len(fitted)
            out.append(Row([part for part in parts if part.text], total))
        return out

    def _record(self, cells: Sequence[Cell]) -> list[Row]:
        """Name and value below each other, a blank row after each record but the first."""
        out: list[Row] = [BLANK] if self._drawn else []
        for name, value in zip(self._header, cells, strict=True):
            label = [Segment(text, (own or Style.null()) + Style(bold=True)) for text, own, _ in name]
            rows = wrap([*label, Segment(": " if name else ""), *value], max(1, self._width - 2))
            out += [rows[0], *prefixed(rows[1:], Segment("  "), Segment("  "), 2)]
        return out


def fit_columns(natural: Sequence[int], width: int) -> list[int] | None:
    """Widths that fit: wide columns give way first. None where that leaves too little to read."""
    wanted = [max(1, cells) for cells in natural]
    room = width - len(SEPARATOR) * (len(wanted) - 1)
    if sum(wanted) <= room:
        return wanted
    left, open_columns = room, set(range(len(wanted)))
    fitted = list(wanted)
    while open_columns:
        share = left // len(open_columns)
        small = {column for column in open_columns if wanted[column] <= share}
        if not small:
            for number, column in enumerate(sorted(open_columns)):
                fitted[column] = share + (number < left % len(open_columns))
            break
        left -= sum(wanted[column] for column in small)
        open_columns -= small
    if any(cells < min(NARROWEST, want) for cells, want in zip(fitted, wanted, strict=True)):
        return None
    return fitted


def _cells(cell: Cell) -> int:
    return sum([cell_len(segment.text) for segment in cell])
