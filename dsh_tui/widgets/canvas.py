"""The transcript without its widget: blocks, their heights, and the rows of those looked at lately.

Any number of blocks: a height is a guess until the block is drawn, and drawn rows are kept for
the most recent blocks only. Rows are addressed by (block, row), which no change elsewhere moves.
Source: design §3 row 18.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from dsh_tui.engine.projection.views import AnswerView, BlockView, UserView
from dsh_tui.widgets.answer_block import Answer
from dsh_tui.widgets.block_rows import BlockRows, draw, estimate, foldable, gap, opens_itself, source
from dsh_tui.widgets.folds import Folds
from dsh_tui.widgets.heights import Heights
from dsh_tui.widgets.layout import TEXT_EDGE, prose_width
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import BLANK, Row

KEPT_ROWS = 6000
"""Drawn rows kept beyond those on screen; an answer of 5,000 lines can be paged through at ease."""


class Canvas:
    """Blocks at one width in one palette."""

    def __init__(self, blocks: Sequence[BlockView], width: int, palette: Palette) -> None:
        self.blocks = blocks
        self.width = width
        self.palette = palette
        self.folds = Folds()
        guess = prose_width(width)
        before: BlockView | None = None
        sizes = []
        for view in blocks:
            sizes.append(gap(before, view) + estimate(view, guess))
            before = view
        self.heights = Heights(sizes)
        self._drawn: OrderedDict[int, BlockRows] = OrderedDict()
        self._exact = bytearray(len(sizes))
        self._stale: dict[int, BlockRows] = {}
        self._rows = 0

    @property
    def count(self) -> int:
        """Blocks taken in so far; the live sequence may be ahead until the next `change`."""
        return len(self.heights)

    def rows(self, index: int) -> list[Row]:
        """A block's rows, its gap not among them. Drawing it makes its height exact."""
        drawn = self._drawn.get(index)
        if drawn is not None:
            self._drawn.move_to_end(index)
            return drawn.rows
        view = self.blocks[index]
        drawn = draw(
            view,
            self.width,
            self.palette,
            folded=not self.is_open(index),
            before=self._stale.pop(index, None),
        )
        self._drawn[index] = drawn
        self._rows += len(drawn.rows)
        self._exact[index] = 1
        self.heights[index] = self.gap(index) + len(drawn.rows)
        self._evict()
        return drawn.rows

    def answer(self, index: int) -> Answer | None:
        """The answer behind a block, if it is one; drawn if need be."""
        self.rows(index)
        return self._drawn[index].answer

    def code_between(self, index: int, first: int, last: int) -> str | None:
        """The first piece of code of an answer between two of its rows, counted from the top of its gap."""
        answer, gap = self.answer(index), self.gap(index)
        return None if answer is None else answer.code_at(first - gap, last - gap)

    def measure(self, index: int) -> int:
        """A block's exact height, its gap included."""
        if not self._exact[index]:
            self.rows(index)
        return self.heights[index]

    def gap(self, index: int) -> int:
        """Blank rows above a block."""
        return gap(self.blocks[index - 1] if index else None, self.blocks[index])

    def row(self, index: int, offset: int) -> Row:
        """One row, counted from the top of the block's gap."""
        rows = self.rows(index)
        offset -= self.gap(index)
        return rows[offset] if 0 <= offset < len(rows) else BLANK

    def is_open(self, index: int) -> bool:
        """Whether a block shows more than its first line."""
        return self.folds.is_open(index, by_itself=opens_itself(self.blocks[index]))

    def toggle(self, index: int) -> None:
        """Open or fold a block."""
        self.forget(index)
        self.folds.toggle(index)

    def toggle_all(self) -> bool:
        """Open all blocks or fold all; says whether they are open now."""
        opened, guess = self.folds.toggle_all(), prose_width(self.width)
        for index in range(self.count):
            self.forget(index)
            view = self.blocks[index]
            size = source(view).count("\n") + 2 if opened and foldable(view) else estimate(view, guess)
            self.heights[index] = self.gap(index) + size
        return opened

    def forget(self, index: int) -> None:
        """Draw a block again when it is next looked at."""
        drawn = self._drawn.pop(index, None)
        if drawn is not None:
            self._rows -= len(drawn.rows)
            if drawn.answer is not None:
                self._stale[index] = drawn
        self._exact[index] = 0

    def change(self, first: int) -> None:
        """Blocks from ``first`` on may differ, and there may be more of them now."""
        known = len(self.heights)
        guess = prose_width(self.width)
        for index in range(first, known):
            self.forget(index)
            if index in self._stale:
                self.rows(index)  # only its open end is done again
            else:
                self.heights[index] = self.gap(index) + estimate(self.blocks[index], guess)
        for index in range(known, len(self.blocks)):
            self._exact.append(0)
            self.heights.append(self.gap(index) + estimate(self.blocks[index], guess))
        for index in [index for index in self._stale if index < first]:
            del self._stale[index]

    def place_of(self, index: int, offset: int) -> int:
        """How many characters of a block's text stand above a row; a place that survives another width."""
        rows = self.rows(index)
        return sum([_letters(row) for row in rows[: max(0, offset - self.gap(index))]])

    def row_at(self, index: int, place: int) -> int:
        """The row in which the character stands that `place_of` counted to."""
        if place <= 0:
            return 0
        seen = 0
        rows = self.rows(index)
        for offset, row in enumerate(rows):
            seen += _letters(row)
            if seen > place:
                return self.gap(index) + offset
        return max(0, self.gap(index) + len(rows) - 1)

    def margin(self, index: int) -> int:
        """Blank cells in front of a block's rows that the rows leave out."""
        return TEXT_EDGE if isinstance(self.blocks[index], AnswerView) else 0

    def prompt_from(self, index: int, step: int) -> int | None:
        """The next block, in steps of ``step``, in which a person speaks."""
        at = index + step
        while 0 <= at < self.count:
            view = self.blocks[at]
            if isinstance(view, UserView) and view.origin in ("prompt", "steering"):
                return at
            at += step
        return None

    def _evict(self) -> None:
        while self._rows > KEPT_ROWS and len(self._drawn) > 1:
            oldest = next(iter(self._drawn))
            if oldest == self.count - 1:
                self._drawn.move_to_end(oldest)
                oldest = next(iter(self._drawn))
            self._rows -= len(self._drawn.pop(oldest).rows)


def _letters(row: Row) -> int:
    """Characters but for blanks: these differ with the width, where words are joined and columns filled."""
    return sum([len(word) for word in row.content.split()])
