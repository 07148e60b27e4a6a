"""A list of rows drawn one line each, on demand: ten thousand cost what the visible ones cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar, Final, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

Row = TypeVar("Row")

ARROWS: Final[tuple[BindingType, ...]] = (
    Binding("up", "move(-1)", "Up", show=False),
    Binding("down", "move(1)", "Down", show=False),
    Binding("pageup", "page(-1)", "Page up", show=False),
    Binding("pagedown", "page(1)", "Page down", show=False),
    Binding("home", "edge(-1)", "First", show=False),
    Binding("end", "edge(1)", "Last", show=False),
)
"""The moves of a list whose letters belong to a filter."""


class RowList(ScrollView, Generic[Row], can_focus=True):
    """Rows with one highlighted. A subclass draws a row and says which can be chosen."""

    DEFAULT_CSS = """
    RowList {
        background: $background;
        scrollbar-size-vertical: 1;
        & .row--highlighted { background: $selected; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row--highlighted"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(-1)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "choose", "Choose", show=False),
    ]

    highlighted: reactive[int] = reactive(0)

    class Highlighted(Message):
        """Another row is highlighted."""

        def __init__(self, rows: RowList[Any]) -> None:  # Any: messages are not generic over rows
            self.rows = rows
            super().__init__()

        @property
        def control(self) -> RowList[Any]:  # Any: as above
            return self.rows

    class Chosen(Highlighted):
        """Enter or a click on the highlighted row."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._rows: Sequence[Row] = ()

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def row(self) -> Row | None:
        """The highlighted row, if it can be chosen."""
        at = self.highlighted
        return self._rows[at] if at < len(self._rows) and self.choosable(self._rows[at]) else None

    def draw(self, row: Row, width: int) -> Content:
        """One line for a row."""
        raise NotImplementedError

    def choosable(self, row: Row) -> bool:
        """Whether the highlight may rest on it; headings say no."""
        return row is not None

    def show(self, rows: Sequence[Row], highlighted: int = 0, *, still: bool = False) -> None:
        """Replace the rows; the highlight goes to the nearest that can be chosen.

        ``still`` keeps the highlighted row on the line where it is, also if that is scrolled away.
        """
        before = self.highlighted
        self._rows = rows
        self.virtual_size = Size(0, len(rows))
        self.set_reactive(RowList.highlighted, self._nearest(highlighted, 1))
        if still:
            moved = self.highlighted - before
            self.scroll_to(y=self.scroll_offset.y + moved, animate=False, force=True, immediate=True)
        else:
            self._follow()
        self.refresh()
        self.post_message(self.Highlighted(self))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        style = self.visual_style
        if at >= len(self._rows):
            return Strip.blank(width, style.rich_style)
        if at == self.highlighted and self.choosable(self._rows[at]):
            style += self.get_visual_style("row--highlighted")
        content = self.draw(self._rows[at], width)
        lines = Visual.to_strips(self, content, width, 1, style, pad=True, apply_selection=False)
        return lines[0].adjust_cell_length(width, style.rich_style) if lines else Strip.blank(width)

    def watch_highlighted(self, before: int, after: int) -> None:
        for line in (before, after):
            self.refresh(Region(0, line - self.scroll_offset.y, self.size.width, 1))
        self._follow()
        self.post_message(self.Highlighted(self))

    def action_move(self, by: int) -> None:
        if self._rows:
            self.highlighted = self._nearest(self.highlighted + by, by)

    def action_page(self, direction: int) -> None:
        self.action_move(direction * max(1, self.size.height - 1))

    def action_edge(self, direction: int) -> None:
        self.highlighted = self._nearest(0 if direction < 0 else len(self._rows) - 1, -direction)

    def action_choose(self) -> None:
        if self.row is not None:
            self.post_message(self.Chosen(self))

    def on_click(self, event: Click) -> None:
        at = event.y + self.scroll_offset.y
        if at < len(self._rows) and self.choosable(self._rows[at]):
            self.highlighted = at
            self.action_choose()

    def _nearest(self, wanted: int, direction: int) -> int:
        """The choosable row at ``wanted`` or beyond it in ``direction``, else the nearest before it."""
        if not self._rows:
            return 0
        at = max(0, min(wanted, len(self._rows) - 1))
        step = 1 if direction >= 0 else -1
        ahead = range(at, len(self._rows) if step > 0 else -1, step)
        behind = range(at, -1 if step > 0 else len(self._rows), -step)
        for candidate in chain(ahead, behind):
            if self.choosable(self._rows[candidate]):
                return candidate
        return 0

    def _follow(self) -> None:
        at = self.highlighted
        top = 0 if at == self._nearest(0, 1) else at  # the heading of the first row is seen with it
        self.scroll_to_region(Region(0, top, 1, at - top + 1), animate=False, force=True, immediate=True)
