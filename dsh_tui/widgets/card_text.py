"""A card that is read: its rows in a window that scrolls, and whether its end was ever in view.

Drawn line by line, so that a diff of thousands of lines costs what is visible of it.
Source: UX spec §4 (full command always reachable).
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from dsh_tui.widgets.card_rows import Draw
from dsh_tui.widgets.palette import Palette, palette_from
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.strips import Look, strip_of


class CardText(ScrollView, can_focus=False):
    """The rows of a card. Posts `Measured` when more or less of it is out of view."""

    DEFAULT_CSS = """
    CardText {
        height: auto;
        min-height: 1;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        background: $background;
    }
    """

    class Measured(Message):
        """How much is out of view changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.most_rows = 1_000_000
        """Rows it asks for at most; the rest is scrolled to."""
        self.end_seen = False
        """Whether the last row of what is shown was in view at any time."""
        self._draw: Draw = lambda width, palette: ()
        self._rows: Sequence[Row] = ()
        self._width = 0
        self._palette: Palette | None = None

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)

    @property
    def below(self) -> int:
        """Rows that are out of view below."""
        return max(0, len(self._rows) - self.scroll_offset.y - self.size.height)

    @property
    def above(self) -> int:
        """Rows that are out of view above."""
        return self.scroll_offset.y

    def show(self, draw: Draw) -> None:
        """Show other rows, from their top."""
        self._draw, self._rows = draw, ()
        self.scroll_to(y=0, animate=False, immediate=True, force=True)
        self._fold(self._width or 80, anew=True)
        self.end_seen = False
        self.refresh(layout=True)

    def press(self, key: str) -> bool:
        """Scroll, if that is what the key is for."""
        scroll = {
            "up": self.scroll_up,
            "down": self.scroll_down,
            "pageup": self.scroll_page_up,
            "pagedown": self.scroll_page_down,
            "home": self.scroll_home,
            "end": self.scroll_end,
        }.get(key)
        if scroll is not None:
            scroll(animate=False)
        return scroll is not None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._fold(max(1, width - 1))
        return max(1, min(len(self._rows), self.most_rows))

    def on_resize(self) -> None:
        self._fold(self._room)
        self._measure()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._measure()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        base = self.rich_style
        if at >= len(self._rows) or self._palette is None:
            return Strip.blank(width, base)
        return strip_of(self._rows[at], Look(), width, base, self._palette, self.get_line_filters())

    def _fold(self, width: int, *, anew: bool = False) -> None:
        if width == self._width and not anew:
            return
        if self._palette is None:
            self._palette = palette_from(self.app.theme_variables)
        self._rows, self._width = self._draw(width, self._palette), width
        self.virtual_size = Size(width, len(self._rows))
        self.call_after_refresh(self._measure)

    def _measure(self) -> None:
        # Rows of another width would be fewer, or more.
        if self.size.height and self._width == self._room and not self.below:
            self.end_seen = True
        self.post_message(self.Measured())

    @property
    def _room(self) -> int:
        """Cells for a row; one is the scroll bar's, whether it is needed or not."""
        return max(1, self.size.width - 1)

    def _theme_changed(self, _theme: object) -> None:
        self._palette = None
        self._fold(self._width, anew=True)
        self.refresh()
