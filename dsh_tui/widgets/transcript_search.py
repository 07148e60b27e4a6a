"""Words in a transcript: which blocks hold them, and the next place to go to. Pure of the widget.

The newest place comes first, since people look back. What a folded block holds is found too, and opens it
until one goes on to another.
Source: UX spec §1d (search in the transcript); case of looking for what was said.
"""

from __future__ import annotations

from typing import NamedTuple

from dsh_tui.engine.projection.views import BlockView, NoticeView, ToolView, TurnEndView
from dsh_tui.widgets.block_rows import foldable, source
from dsh_tui.widgets.canvas import Canvas
from dsh_tui.widgets.viewport import NOWHERE, Viewport

ABOVE = 3
"""The part of the view that stays above what was found: a third."""


class Found(NamedTuple):
    """Where a step led: the block and its row, and which of how many blocks with the words that is."""

    block: int
    row: int
    number: int
    of: int


class TranscriptSearch:
    """Steps through the places of some words in what a viewport shows."""

    def __init__(self, view: Viewport) -> None:
        self._view = view
        self._canvas: Canvas | None = None
        self._at: tuple[int, int] | None = None
        self._words = ""
        self._opened: int | None = None
        """The block that was opened to show what it holds."""

    def step(self, words: str, *, older: bool) -> Found | None:
        """Bring the next place into view; other words begin anew at the newest. None: they are nowhere."""
        canvas = self._view.canvas
        wanted = words.lower()
        if canvas is None:
            return None
        if self._canvas is not None and self._canvas.blocks is not canvas.blocks:
            self._at = self._opened = None  # places of another session
        if wanted != self._words:
            self._at = None
        self._words, self._canvas = wanted, canvas
        self._view.marked, self._view.marked_here = wanted, (NOWHERE, 0)
        holding = [n for n in range(canvas.count) if wanted and wanted in _text(canvas.blocks[n]).lower()]
        if not holding:
            self._at = None
            if not wanted:
                self._opened = None  # one has stopped looking: it stays as it is read
            return None
        opened, self._opened = self._opened, None
        block, row = self._at = self._view.marked_here = self._next(canvas, holding, older=older)
        if opened is not None and opened != block and canvas.is_open(opened):
            canvas.toggle(opened)
        elif opened == block:
            self._opened = block
        self._view.hold_below(block, canvas.gap(block) + row, self._view.height // ABOVE)
        return Found(block, row, holding.index(block) + 1, len(holding))

    def _next(self, canvas: Canvas, holding: list[int], *, older: bool) -> tuple[int, int]:
        """The place before or behind the present one; past the last one it begins again."""
        if self._at is not None and self._at[0] in holding:
            block, row = self._at
            inside = [n for n in self._rows(canvas, block) if (n < row if older else n > row)]
            if inside:
                return block, inside[-1] if older else inside[0]
            at = holding.index(block) + (-1 if older else 1)
            block = holding[at % len(holding)]
        else:
            block = holding[-1]
        rows = self._rows(canvas, block)
        return block, rows[-1] if older else rows[0]

    def _rows(self, canvas: Canvas, block: int) -> list[int]:
        """The rows of a block with the words; the first one where only a wrap or a fold hides them."""
        found = self._shown(canvas, block)
        if not found and foldable(canvas.blocks[block]) and not canvas.is_open(block):
            canvas.toggle(block)
            self._opened = block
            found = self._shown(canvas, block)
        return found or [0]

    def _shown(self, canvas: Canvas, block: int) -> list[int]:
        return [n for n, row in enumerate(canvas.rows(block)) if self._words in row.text.lower()]


def _text(view: BlockView) -> str:
    """What of a block can be found."""
    if isinstance(view, TurnEndView):
        return ""
    if isinstance(view, ToolView):
        told = view.arguments if view.verb == view.name else ""  # else a card shows none but a command
        return f"{view.verb} {view.subject}\n{view.feedback}\n{told}\n{source(view)}"
    return f"{view.text}\n{view.hint}" if isinstance(view, NoticeView) else source(view)
