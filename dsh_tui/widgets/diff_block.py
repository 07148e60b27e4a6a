"""A diff as rows: one column, or side by side where the terminal is wide enough. Pure.

Source: screens spec (diffs).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from rich.segment import Segment
from rich.style import Style

from dsh_tui.engine.projection.views import DiffView
from dsh_tui.widgets.diff_lines import DiffLine, diff_lines
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import BLANK, Row, row
from dsh_tui.widgets.wrap import wrap

SIDE_BY_SIDE: Final = 128
"""Cells for the diff itself, of a terminal of 140."""
_BETWEEN: Final = " │ "


def render(view: DiffView, width: int, palette: Palette) -> list[Row]:
    """All hunks; between them a quiet mark."""
    rows: list[Row] = []
    last = max((hunk.new_start + len(hunk.lines) for hunk in view.hunks), default=1)
    digits = max(3, len(str(last)))
    for lines in diff_lines(view, palette):
        if rows:
            rows.append(row((" " * digits + " ⋯", palette.faint), copied=""))
        if width >= SIDE_BY_SIDE and not view.created:
            rows.extend(_beside(lines, digits, width, palette))
        else:
            for line in lines:
                rows.extend(_line(line, digits, width, palette))
    return rows


def _line(line: DiffLine, digits: int, width: int, palette: Palette) -> list[Row]:
    """One line, wrapped, its ground filled to the width."""
    ground = {"-": palette.removed, "+": palette.added}.get(line.sign, Style.null())
    number = f"{line.old if line.sign == '-' else line.new:>{digits}} "
    mark = {"-": "− ", "+": "+ "}.get(line.sign, "  ")
    gutter = len(number) + len(mark)
    room = max(1, width - gutter)
    out: list[Row] = []
    for each in wrap(line.spans or [Segment("", ground)], room):
        fill = " " * max(0, room - each.cells) if line.sign != " " else ""
        segments = [Segment(number, palette.faint), Segment(mark, palette.text + ground), *each.segments]
        content = "".join([segment.text for segment in each.segments])
        copied = content if out else f"{line.sign}{content}"
        cells = gutter + each.cells + len(fill)
        out.append(Row([*segments, Segment(fill, ground)], cells, gutter, each.joint, copied))
        number, mark = " " * len(number), "  "
    return out


def _beside(lines: list[DiffLine], digits: int, width: int, palette: Palette) -> Iterator[Row]:
    """Old at the left, new at the right, changed lines against each other."""
    side = (width - len(_BETWEEN)) // 2
    between = Segment(_BETWEEN, palette.rule)
    for old, new in _pairs(lines):
        left = _line(old, digits, side, palette) if old is not None else []
        right = _line(new, digits, side, palette) if new is not None else []
        same = old is not None and old is new
        for one, other in zip_longest(left, right, fillvalue=BLANK):
            copied = [part.content for part in ((one,) if same else (one, other)) if part is not BLANK]
            segments = [*one.segments, Segment(" " * (side - one.cells)), between, *other.segments]
            yield Row(segments, side + len(_BETWEEN) + other.cells, 0, "\n", "\n".join(copied))


def _pairs(lines: list[DiffLine]) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        if line.sign == "-" and not added:
            removed.append(line)
            continue
        if line.sign == "+":
            added.append(line)
            continue
        yield from zip_longest(removed, added)
        removed, added = [], []
        if line.sign == "-":
            removed.append(line)
        else:
            yield line, line
    yield from zip_longest(removed, added)
