"""A card in full: the command, the diff or the arguments, folded to the width, every character shown.

Drawn line by line, so that a diff of thousands of lines costs what is visible of it.
Source: UX spec §4 (full command always reachable).
"""

from __future__ import annotations

from typing import ClassVar, Final

from rich.cells import chop_cells
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from dsh_tui.engine.projection.views import CardView, DiffView
from dsh_tui.widgets.reveal import reveal

Line = tuple[str, str, str]
"""Gutter, text and style of one logical line."""

EMPTY: Final = "(empty: there is nothing to run)"
_DIFF_STYLES: Final = {"+": "$foreground on $added", "-": "$foreground on $removed"}
_SIGNS: Final = {"+": "+", "-": "−"}


def _diff_lines(diff: DiffView) -> list[Line]:
    lines: list[Line] = []
    for number, hunk in enumerate(diff.hunks):
        if number:
            lines.append(("", "⋯", "$dim"))
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            sign, text = line[:1], line[1:]
            at = old if sign == "-" else new
            old += sign != "+"
            new += sign != "-"
            lines.append((f"{at:>5} {_SIGNS.get(sign, ' ')} ", reveal(text), _DIFF_STYLES.get(sign, "")))
    return lines


def card_lines(card: CardView) -> list[Line]:
    """All of a card, one entry a logical line."""
    if card.kind == "diff" and card.diff is not None:
        return _diff_lines(card.diff)
    if not card.text.strip():
        return [("", EMPTY, "$warning")]
    first, rest = ("$ ", "  ") if card.kind == "command" else ("", "")
    return [
        (rest if number else first, line, "") for number, line in enumerate(reveal(card.text).split("\n"))
    ]


class CardText(ScrollView, can_focus=False):
    """The lines of a card. Posts `Measured` when more or less of it is out of view."""

    DEFAULT_CSS = """
    CardText {
        height: auto;
        min-height: 1;
        scrollbar-size-vertical: 1;
        background: $background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "Top", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
    ]

    class Measured(Message):
        """How much is out of view changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.most_rows = 1_000_000
        """Rows it asks for at most; the rest is scrolled to."""
        self._lines: list[Line] = []
        self._folded: list[Line] = []
        self._width = 0

    @property
    def below(self) -> int:
        """Lines that are out of view below."""
        return max(0, len(self._folded) - self.scroll_offset.y - self.size.height)

    @property
    def above(self) -> int:
        """Lines that are out of view above."""
        return self.scroll_offset.y

    def show(self, lines: list[Line]) -> None:
        """Show other lines, from their top."""
        self._lines = lines
        self.scroll_to(y=0, animate=False, immediate=True, force=True)
        self._fold(self._width or 80)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._fold(max(1, width - 1))
        return max(1, min(len(self._folded), self.most_rows))

    def on_resize(self, event: Resize) -> None:
        self._fold(max(1, event.size.width - 1))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Measured())

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        style = self.visual_style
        if at >= len(self._folded):
            return Strip.blank(width, style.rich_style)
        gutter, text, look = self._folded[at]
        line = Content.assemble((gutter, f"$dim {look}" if " on " not in look else look), (text, look))
        if " on " in look:
            line = line.pad_right(max(0, width - line.cell_length)).stylize(look)
        strips = Visual.to_strips(self, line, width, 1, style, pad=True, apply_selection=False)
        return strips[0] if strips else Strip.blank(width, style.rich_style)

    def _fold(self, width: int) -> None:
        folded: list[Line] = []
        for gutter, text, style in self._lines:
            parts = chop_cells(text, max(8, width - len(gutter))) or [""]
            folded.append((gutter, parts[0], style))
            folded.extend((" " * len(gutter), part, style) for part in parts[1:])
        self._folded = folded
        self._width = width
        self.virtual_size = Size(width, len(folded))
        self.post_message(self.Measured())
