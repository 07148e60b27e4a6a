"""The transcript: one scroll view over all blocks, drawn by the line.

It follows the end only while it stands there; otherwise nothing that is being read moves.
Every frame is compared with the last by row identity, and only lines that differ are painted.
A prompt of one's own brings the view back to the end.
Source: design §3 rows 18 and 19; screens spec (steady); cases of scroll hold and resize.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from dsh_tui.actions import bindings
from dsh_tui.engine.projection.views import AnswerView, BlockView, UserView
from dsh_tui.widgets.block_rows import foldable, source
from dsh_tui.widgets.canvas import Canvas
from dsh_tui.widgets.layout import lines
from dsh_tui.widgets.messages import FindAsked
from dsh_tui.widgets.palette import Palette, palette_from
from dsh_tui.widgets.selection_text import address, selected_text
from dsh_tui.widgets.strips import StripCache, label_strip
from dsh_tui.widgets.transcript_search import Found, TranscriptSearch
from dsh_tui.widgets.typing_elsewhere import TypingElsewhere
from dsh_tui.widgets.viewport import NOWHERE, Line, Viewport, bar_thumb


class Transcript(TypingElsewhere, ScrollView, can_focus=True):
    """All blocks of a session. Give it views with `show`; it posts what a person does with them."""

    DEFAULT_CSS = """
    Transcript {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(place="transcript")]

    class CopyRequested(Message):
        """A person wants this text on the clipboard."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, classes=classes)
        self._palette: Palette | None = None
        self._generation: int | None = None
        self._blocks: Sequence[BlockView] = ()
        self._view = Viewport()
        self._search = TranscriptSearch(self._view)
        self._unread = 0
        self._cursor = NOWHERE
        self._frame: list[Line] = []
        self._marker = ""
        self._strips = StripCache()
        self._placing = False
        self._thumb = (-1, -1)

    # What is shown

    def show(self, blocks: Sequence[BlockView], changed_from: int, generation: int) -> None:
        """Show these blocks. Only those from ``changed_from`` on may differ from the last call."""
        if generation != self._generation or blocks is not self._blocks:
            self._generation, self._blocks = generation, blocks
            self._cursor, self._unread = NOWHERE, 0
            self._view.following = True
            if self.is_attached:
                self.screen.clear_selection()
            self._settle()
            return
        canvas = self._view.canvas
        if canvas is None or canvas.blocks is not blocks:
            return
        known, rows = len(canvas.heights), canvas.heights.total
        canvas.change(min(changed_from, known))
        if any(
            isinstance(view, UserView) and view.origin in ("prompt", "steering") for view in blocks[known:]
        ):
            self._view.following = True
        elif not self._view.following:
            self._unread = max(0, self._unread + canvas.heights.total - rows)
        self._settle()

    @property
    def following(self) -> bool:
        """Whether new output keeps the view at the end."""
        return self._view.following

    @property
    def cursor(self) -> int | None:
        """The block under the cursor, if there is one."""
        return None if self._cursor == NOWHERE else self._cursor

    def follow_end(self) -> None:
        """Go to the end and stay there."""
        self._view.following = True
        self._settle()

    def go_to(self, block: int) -> None:
        """Put the cursor on a block and bring it to the top."""
        canvas = self._ready()
        if canvas is not None and block < len(self._blocks):
            self._cursor = block
            self._view.hold(block, canvas.gap(block))
            self._settle()

    def find(self, words: str, *, older: bool = True) -> Found | None:
        """Put the cursor on the next place of these words, and mark all; empty: mark nothing any more."""
        found = self._search.step(words, older=older) if self._ready() is not None else None
        self._cursor = found.block if found is not None else self._cursor
        self._settle()
        return found

    # Layout

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)

    def on_show(self) -> None:
        self._settle()

    def _theme_changed(self, _theme: object) -> None:
        self._palette = None
        self._strips.clear()
        self._settle()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def _size_updated(
        self,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = True,  # noqa: FBT001, FBT002  # Textual's signature
    ) -> bool:
        # Textual clamps the position for the new size in here; where the view is held decides it.
        self._placing = True
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self._placing = False
        if changed:
            self._strips.clear()
            self._frame = []
            self._settle()
        return changed

    def _ready(self) -> Canvas | None:
        """The canvas at the present size, or None while there is no room."""
        room = self.scrollable_content_region
        if room.width <= 0 or room.height <= 0 or not self.is_attached:
            return None
        if self._palette is None:
            self._palette = palette_from(self.app.theme_variables)
        self._view.resize(self._blocks, room.width, room.height, self._palette)
        return self._view.canvas

    def _settle(self) -> None:
        """Put the view where it belongs and repaint what differs."""
        canvas = self._ready()
        if canvas is None:
            return
        self._view.settle()
        if self._view.following:
            self._unread = 0
        self._place(canvas)
        self._repaint()

    def _place(self, canvas: Canvas) -> None:
        """Tell Textual and the scroll bar, without a layout pass and without a full repaint."""
        total, top = canvas.heights.total, self._view.top
        self.set_reactive(Widget.virtual_size, Size(canvas.width, total))
        self.set_reactive(Widget.scroll_y, float(top))
        self.set_reactive(Widget.scroll_target_y, float(top))
        if self.show_vertical_scrollbar:
            thumb = bar_thumb(total, self._view.height, top)
            # A bar that would look the same is not painted again: it costs more than the text.
            if thumb != self._thumb or not self._view.following:
                self._thumb = thumb
                bar = self.vertical_scrollbar
                bar.window_virtual_size, bar.window_size, bar.position = total, self._view.height, top

    # Painting

    def _repaint(self) -> None:
        """Build the frame and refresh the lines in which it differs from the last one."""
        frame = self._view.frame(self.text_selection, self._cursor if self.has_focus else NOWHERE)
        before, self._frame = self._frame, frame
        changed = [
            y
            for y, line in enumerate(frame)
            if y >= len(before) or line.row is not before[y].row or line.look != before[y].look
        ]
        unread = 0 if self._view.following else self._unread
        marker = f" ↓ {lines(unread, 'new')} · ctrl+end " if unread else ""
        if marker != self._marker:
            self._marker = marker
            changed.append(len(frame) - 1)
        # Not as wide as the widget: the column of the scroll bar is not ours to paint.
        width = self.scrollable_content_region.width
        if len(changed) > len(frame) // 2 or len(before) > len(frame):
            self.refresh(Region(0, 0, width, len(frame)))
        elif changed:
            self.refresh(*[Region(0, y, width, 1) for y in changed])

    def render_lines(self, crop: Region) -> list[Strip]:
        """Strips for a part of the widget. The frame is ours, so Textual's line cache is not needed."""
        base = self.rich_style
        strips = [self._strip(y, base) for y in range(crop.y, crop.bottom)]
        if crop.x == 0 and crop.right == self.size.width:
            return strips
        return [strip.crop(crop.x, crop.right) for strip in strips]

    def _strip(self, y: int, base: Style) -> Strip:
        width = self.size.width
        if y >= len(self._frame) or self._palette is None:
            return Strip.blank(width, base)
        line = self._frame[y]
        filters = self.get_line_filters()
        strip = self._strips.strip(line.row, line.look, width, base, self._palette, filters)
        if self._marker and y == len(self._frame) - 1:
            marker = label_strip(self._marker, width, base, self._palette, filters)
            return Strip.join([strip.crop(0, width - marker.cell_length), marker])
        return strip

    def render_line(self, y: int) -> Strip:
        """One line that knows the places of its characters, for the mouse."""
        strip = self._strip(y, self.rich_style)
        if y >= len(self._frame) or self._frame[y].block == NOWHERE:
            return strip
        return strip.apply_offsets(0, address(self._frame[y].block, self._frame[y].offset))

    # Scrolling

    def _scroll_to(self, x: float | None = None, y: float | None = None, **options: object) -> bool:
        # Never animated: an animation's target is wrong as soon as a height turns out different.
        options["animate"] = False
        canvas = self._ready()
        if y is not None and canvas is not None:
            shift = self._view.premeasure(round(y - self.scroll_y))
            if shift:
                self._place(canvas)
                y += shift
        return super()._scroll_to(x, y, **options)  # type: ignore[arg-type]  # passed through

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """A person scrolled: the end is followed from here on, or the row at the top is held."""
        if self._placing or round(old_value) == round(new_value) or self._ready() is None:
            return
        self._view.scrolled_to(round(new_value))
        self._settle()

    def action_transcript_newest(self) -> None:
        """Go to the newest."""
        if self._cursor != NOWHERE:
            self._cursor = len(self._blocks) - 1
        self.follow_end()

    def action_transcript_first(self) -> None:
        """Go to the beginning."""
        if self._blocks:
            self._cursor = min(self._cursor, 0)
            self._view.hold(0, 0)
            self._settle()

    # The block cursor

    def on_focus(self) -> None:
        self._settle()

    def on_blur(self) -> None:
        self._settle()

    def action_transcript_next(self) -> None:
        self.move_cursor(1)

    def action_transcript_previous(self) -> None:
        self.move_cursor(-1)

    def move_cursor(self, step: int) -> None:
        """Move the cursor by blocks; from nowhere it starts in what is on screen."""
        shown = [line.block for line in self._frame if line.block != NOWHERE]
        if shown:
            target = self._cursor + step
            if self._cursor == NOWHERE:
                target = shown[-1] if step < 0 else shown[0]
            self._reach(max(0, min(len(self._blocks) - 1, target)))

    def action_transcript_prompt_back(self) -> None:
        self._to_prompt(-1)

    def action_transcript_prompt_on(self) -> None:
        self._to_prompt(1)

    def _to_prompt(self, step: int) -> None:
        """Move the cursor to the next or previous prompt and bring it to the top."""
        canvas = self._ready()
        if canvas is None or not self._frame:
            return
        here = self._frame[0].block if self._cursor == NOWHERE else self._cursor
        ahead = canvas.prompt_from(here, step)
        if ahead is not None:
            self._cursor = ahead
            self._view.hold(ahead, canvas.gap(ahead))
            self._settle()

    def _reach(self, block: int) -> None:
        """Put the cursor on a block and bring it into view."""
        if self._ready() is not None:
            self._cursor = block
            self._view.reach(block, self._frame)
            self._settle()

    def action_transcript_fold(self) -> None:
        """Open or fold the block under the cursor."""
        if self._cursor != NOWHERE:
            self.fold(self._cursor)
            self._reach(self._cursor)

    def fold(self, block: int) -> None:
        """Open or fold a block; the view stays where it is."""
        canvas = self._ready()
        if canvas is None or not foldable(self._blocks[block]):
            return
        self._view.hold_here()
        canvas.toggle(block)
        self._settle()

    def fold_all(self) -> bool:
        """Open all blocks or fold all, in place; says whether they are open now."""
        opened = self._ready() is not None and self._view.toggle_all()
        self._settle()
        return opened

    def action_transcript_find(self) -> None:
        self.post_message(FindAsked())

    def action_transcript_find_older(self) -> None:
        self.post_message(FindAsked(older=True))

    def action_transcript_find_newer(self) -> None:
        self.post_message(FindAsked(older=False))

    def action_transcript_copy(self) -> None:
        """Ask for the source of the block under the cursor on the clipboard."""
        if self._cursor != NOWHERE:
            self.post_message(self.CopyRequested(source(self._blocks[self._cursor])))

    def action_transcript_copy_code(self) -> None:
        """Ask for the first piece of code in view of the answer under the cursor."""
        canvas = self._ready()
        if canvas is not None and self._cursor != NOWHERE:
            shown = [line.offset for line in self._frame if line.block == self._cursor] or [0]
            code = canvas.code_between(self._cursor, shown[0], shown[-1])
            if code is not None:
                self.post_message(self.CopyRequested(code))

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if event.y >= len(self._frame) or self.text_selection is not None:
            return
        line = self._frame[event.y]
        if self._marker and event.y == len(self._frame) - 1:
            self.follow_end()
        elif line.block != NOWHERE:
            self._cursor = line.block
            view = self._blocks[line.block]
            one_row = not isinstance(view, AnswerView) or view.answered_again
            if line.look.first and one_row and foldable(view):
                self.fold(line.block)
            else:
                self._settle()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Source text under a selection."""
        canvas = self._view.canvas
        return None if canvas is None else (selected_text(canvas, selection), "\n")

    def selection_updated(self, selection: Selection | None) -> None:
        """Repaint the lines whose selected part changed."""
        del selection
        if self._frame:
            self._repaint()
