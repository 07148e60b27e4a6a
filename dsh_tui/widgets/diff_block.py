"""A diff as rows: one column, or side by side where the terminal is wide enough. Pure.

The rows are counted at once and drawn when they are asked for: a diff of thousands of lines
opens as quickly as a short one.
Source: screens spec (diffs).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, zip_longest
from typing import Final, NamedTuple, overload

from rich.segment import Segment
from rich.style import Style

from dsh_tui.engine.projection.views import DiffView
from dsh_tui.widgets.code_colours import language_of
from dsh_tui.widgets.diff_lines import DiffLine, HunkLines, Shown
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.reveal import shown_line
from dsh_tui.widgets.row import BLANK, Row, row
from dsh_tui.widgets.wrap import fold, folded

SIDE_BY_SIDE: Final = 128
"""Cells for the diff itself, of a terminal of 140."""
COLOURED_LINES: Final = 600
"""A diff that is drawn whole has no syntax colours beyond so many lines: it must open at once."""
_BETWEEN: Final = " │ "
_SIGNS: Final = {"-": "− ", "+": "+ "}
_KEPT: Final = 400


class _Item(NamedTuple):
    """What stands on one row, or on several where it is too long: a line, two against each other, a cut."""

    hunk: HunkLines
    old: DiffLine | None
    new: DiffLine | None


class DiffRows(Sequence[Row]):
    """The rows of a diff at one width, drawn when looked at."""

    def __init__(
        self,
        view: DiffView,
        width: int,
        palette: Palette,
        *,
        shown: Shown = shown_line,
        beside_from: int = SIDE_BY_SIDE,
        coloured: bool = True,
    ) -> None:
        self._palette = palette
        last = max((max(h.new_start, h.old_start) + len(h.lines) for h in view.hunks), default=1)
        self._digits = max(3, len(str(last)))
        self._beside = width >= beside_from and not view.created
        self._column = (width - len(_BETWEEN)) // 2 if self._beside else width
        self._room = max(1, self._column - self._digits - 3)
        language = language_of(view.path) if coloured else ""
        self._items: list[_Item | None] = []
        for number, hunk in enumerate(view.hunks):
            if number:
                self._items.append(None)
            lines = HunkLines(hunk, language, palette, shown)
            pairs = _pairs(lines) if self._beside else ((line, line) for line in lines.lines)
            self._items.extend(_Item(lines, old, new) for old, new in pairs)
        self._ends = list(accumulate(map(self._height, self._items)))
        self._drawn: dict[int, list[Row]] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        item = bisect_right(self._ends, at)
        drawn = self._drawn.get(item)
        if drawn is None:
            if len(self._drawn) >= _KEPT:
                self._drawn.clear()
            drawn = self._drawn[item] = self._draw(self._items[item])
        return drawn[at - (self._ends[item - 1] if item else 0)]

    def _height(self, item: _Item | None) -> int:
        if item is None:
            return 1
        return max(folded(line.text, self._room) for line in (item.old, item.new) if line is not None)

    def _draw(self, item: _Item | None) -> list[Row]:
        if item is None:
            return [row((" " * self._digits + " ⋯", self._palette.faint), copied="")]
        if not self._beside:
            assert item.new is not None
            return self._line(item.hunk, item.new, item.new.old if item.new.sign == "-" else item.new.new)
        old, new = item.old, item.new
        left = self._line(item.hunk, old, old.old) if old is not None else []
        right = self._line(item.hunk, new, new.new) if new is not None else []
        both = partial(self._against, copied_once=old is not None and old is new)
        return [both(*sides) for sides in zip_longest(left, right, fillvalue=BLANK)]

    def _line(self, hunk: HunkLines, line: DiffLine, number: int) -> list[Row]:
        """One line, folded, its ground filled to the width."""
        ground, palette = hunk.ground(line), self._palette
        counted, mark = f"{number:>{self._digits}} ", _SIGNS.get(line.sign, "  ")
        gutter = len(counted) + len(mark)
        out: list[Row] = []
        for each in fold(hunk.spans(line) or [Segment("", ground)], self._room):
            fill = " " * max(0, self._room - each.cells) if line.sign != " " else ""
            segments = [
                Segment(counted, palette.faint),
                Segment(mark, palette.text + ground),
                *each.segments,
                Segment(fill, ground),
            ]
            content = "".join([segment.text for segment in each.segments])
            copied = content if out else f"{line.sign}{content}"
            out.append(Row(segments, gutter + each.cells + len(fill), gutter, each.joint, copied))
            counted, mark = " " * len(counted), "  "
        return out

    def _against(self, left: Row, right: Row, *, copied_once: bool) -> Row:
        """Old at the left, new at the right."""
        copied = [part.content for part in ((left,) if copied_once else (left, right)) if part is not BLANK]
        filled = Segment(" " * (self._column - left.cells), Style.null())
        segments = [*left.segments, filled, Segment(_BETWEEN, self._palette.rule), *right.segments]
        return Row(segments, self._column + len(_BETWEEN) + right.cells, 0, "\n", "\n".join(copied))


def render(view: DiffView, width: int, palette: Palette) -> list[Row]:
    """All rows at once, for a block of the transcript."""
    coloured = sum(len(hunk.lines) for hunk in view.hunks) <= COLOURED_LINES
    return list(DiffRows(view, width, palette, coloured=coloured))


def _pairs(hunk: HunkLines) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    """Changed lines against each other, all others against themselves."""
    removed: deque[DiffLine] = deque()
    added: deque[DiffLine] = deque()
    for line in hunk.lines:
        if line.sign == "+":
            added.append(line)
        elif line.sign == "-" and not added:
            removed.append(line)
        else:
            yield from _against(removed, added, hunk.partners)
            if line.sign == "-":
                removed.append(line)
            else:
                yield line, line
    yield from _against(removed, added, hunk.partners)


def _against(
    removed: deque[DiffLine], added: deque[DiffLine], partners: Mapping[int, int]
) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    """One change, until both are empty: partners on one row, and what has none beside what has none."""
    while removed or added:
        lone_old = bool(removed) and partners.get(removed[0].at) is None
        lone_new = bool(added) and partners.get(added[0].at) is None
        together = lone_old == lone_new
        yield (
            removed.popleft() if removed and (lone_old or together) else None,
            added.popleft() if added and (lone_new or together) else None,
        )
