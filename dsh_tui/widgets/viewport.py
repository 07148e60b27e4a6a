"""Where the view stands on the canvas: at the end, or held to one row.

While it follows, the last row is at the bottom. Otherwise the row it is held to stays at the top,
whatever happens above or below, also at another width. Pure of the widget, so that it can be tested.
Source: design §3 row 18; screens spec (steady); case of scroll hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.selection import Selection

from dsh_tui.engine.projection.views import BlockView
from dsh_tui.widgets.canvas import Canvas
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import BLANK, Row
from dsh_tui.widgets.selection_text import address
from dsh_tui.widgets.strips import Look

NOWHERE = -1
PREMEASURED = 4
"""Viewports: within so many, a scroll upwards lands on exact heights; farther jumps on guesses."""


class Line(NamedTuple):
    """One line of a frame: the row that is drawn there, and where it comes from."""

    row: Row
    block: int
    offset: int
    """Row within the block, its gap included."""
    look: Look


class Viewport:
    """A window of ``height`` rows over a canvas."""

    def __init__(self) -> None:
        self.canvas: Canvas | None = None
        self.height = 0
        self.following = True
        self.top = 0
        self._held = (0, 0)
        self._held_place: int | None = None
        self.marked = ""
        """Words in lower case that are marked wherever they stand."""
        self.marked_here = (NOWHERE, 0)
        """Block and row of the place among them that was gone to."""

    def resize(self, blocks: Sequence[BlockView], width: int, height: int, palette: Palette) -> None:
        """Another size, other blocks or another palette: what was opened stays open, what was held, held."""
        self.height = height
        before = self.canvas
        if before is None or before.blocks is not blocks:
            self.canvas = Canvas(blocks, width, palette)
            self.following, self._held_place = True, None
            return
        if before.width == width and before.palette is palette:
            return
        canvas = self.canvas = Canvas(blocks, width, palette)
        canvas.folds = before.folds
        if not self.following and before.count:
            if self._held_place is None:
                self._held_place = before.place_of(*self._held)
            self._held = (self._held[0], canvas.row_at(self._held[0], self._held_place))

    def settle(self) -> None:
        """Make the heights of what is in view exact, and find the row at the top."""
        canvas = self.canvas
        if canvas is None:
            return
        if not self.following:
            self._fill_down(canvas)
        if self.following:
            self._fill_up(canvas)
            self.top = max(0, canvas.heights.total - self.height)
        else:
            self.top = canvas.heights.before(self._held[0]) + self._held[1]

    def _fill_down(self, canvas: Canvas) -> None:
        block, row = self._held
        if block >= canvas.count:
            self.following = True
            return
        row = min(row, canvas.measure(block) - 1)
        self._held = (block, row)
        seen, at = canvas.measure(block) - row, block + 1
        while seen < self.height and at < canvas.count:
            seen += canvas.measure(at)
            at += 1
        if seen < self.height:
            self.following = True  # the end is in view: that is where it stands

    def _fill_up(self, canvas: Canvas) -> None:
        needed, at = self.height, canvas.count - 1
        while needed > 0 and at >= 0:
            needed -= canvas.measure(at)
            at -= 1

    def hold(self, block: int, row: int) -> None:
        """Keep a row at the top from here on."""
        self.following, self._held, self._held_place = False, (block, row), None

    def hold_here(self) -> None:
        """Keep what is at the top now."""
        self.scrolled_to(self.top)
        self.following = False

    def toggle_all(self) -> bool:
        """Open or fold all blocks around the row at the top, which stays; whether they are open now."""
        if not self.following:
            self.hold_here()
        return self.canvas is not None and self.canvas.toggle_all()

    def hold_end_of(self, block: int) -> None:
        """Keep the last row of a block at the bottom."""
        canvas = self.canvas
        if canvas is None:
            return
        needed = self.height - canvas.measure(block)
        while needed > 0 and block > 0:
            block -= 1
            needed -= canvas.measure(block)
        self.hold(block, max(0, -needed))

    def hold_below(self, block: int, row: int, above: int) -> None:
        """Keep a row so many rows below the top."""
        canvas = self.canvas
        if canvas is None:
            return
        needed = above - row
        while needed > 0 and block > 0:
            block -= 1
            needed -= canvas.measure(block)
        self.hold(block, max(0, -needed))

    def reach(self, block: int, frame: Sequence[Line]) -> None:
        """Bring a block into view, with no more of a scroll from ``frame`` than that takes."""
        canvas = self.canvas
        if canvas is None or not frame:
            return
        inside = sum([line.block == block for line in frame])
        size = canvas.measure(block)
        if inside < min(size, self.height):
            if block <= frame[0].block or size >= self.height:
                self.hold(block, 0)
            else:
                self.hold_end_of(block)

    def scrolled_to(self, top: int) -> None:
        """A person scrolled there."""
        canvas = self.canvas
        if canvas is None or not canvas.count:
            return
        block = canvas.heights.find(top)
        self.hold(block, top - canvas.heights.before(block))
        self.following = top >= canvas.heights.total - self.height

    def premeasure(self, move: int) -> int:
        """Before a scroll by ``move`` rows: exact heights above; returns by how much all rows shifted."""
        canvas = self.canvas
        if canvas is None or not canvas.count or not -PREMEASURED * self.height <= move < 0:
            return 0
        block = canvas.heights.find(self.top)
        have, shift = self.top - canvas.heights.before(block), 0
        while have < -move and block > 0:
            block -= 1
            guessed = canvas.heights[block]
            have += canvas.measure(block)
            shift += canvas.heights[block] - guessed
        self.top += shift
        return shift

    def frame(self, selection: Selection | None, cursor: int) -> list[Line]:
        """The lines in view, padded with blank ones."""
        lines: list[Line] = []
        canvas = self.canvas
        if canvas is not None and canvas.count:
            block = canvas.heights.find(self.top)
            offset = self.top - canvas.heights.before(block)
            while len(lines) < self.height and block < canvas.count:
                size = canvas.measure(block)
                gap, rows, margin = canvas.gap(block), canvas.rows(block), canvas.margin(block)
                for at in range(offset, min(size, offset + self.height - len(lines))):
                    span = None if selection is None else selection.get_span(address(block, at))
                    if at < gap:
                        lines.append(Line(BLANK, block, at, Look(span=span)))
                    else:
                        row = rows[at - gap]
                        here = span is None and (block, at - gap) == self.marked_here
                        span = span or self._mark(row, margin)
                        look = Look(margin, block == cursor, at == gap, span, here)
                        lines.append(Line(row, block, at, look))
                block, offset = block + 1, 0
        lines += [Line(BLANK, NOWHERE, 0, Look())] * (self.height - len(lines))
        return lines

    def _mark(self, row: Row, margin: int) -> tuple[int, int] | None:
        """Where the marked words stand first in a row, as it is drawn."""
        at = row.text.lower().find(self.marked) if self.marked else -1
        return None if at < 0 else (margin + at, margin + at + len(self.marked))


def bar_thumb(total: int, height: int, top: int) -> tuple[int, int]:
    """Where a scroll bar's thumb begins and ends, in the eighths of a cell that can be drawn."""
    scale = 8 * height / max(1, total)
    return int(top * scale), int((top + height) * scale)
