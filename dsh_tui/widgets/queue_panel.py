"""The queue: prompts that wait for the turn to end, in order, each of which can be taken back.

Above them, what was said to the running turn and not read yet: it is on its way and can't be.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import one_line

MOST_ROWS = 4


class QueuePanel(RowList[str]):
    """What waits to be read. Editing or removing a prompt posts its place; the screen asks the engine."""

    DEFAULT_CSS = """
    QueuePanel {
        display: none;
        height: auto;
        max-height: 4;
        padding: 0 2;
        color: $dim;
        & .row--highlighted { background: $background; }
        &:focus .row--highlighted { background: $selected; color: $foreground; }
        &.-waiting { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,e", "choose", "Edit", show=False),
        Binding("delete,d,backspace", "remove", "Remove", show=False),
        Binding("r", "resume", "Resume", show=False),
    ]

    class Removed(Message):
        """Take the prompt at ``index`` out of the queue; ``edit`` to go on writing it."""

        def __init__(self, index: int, *, edit: bool) -> None:
            self.index = index
            self.edit = edit
            super().__init__()

    class Resumed(Message):
        """Let the paused queue go on."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._paused = False
        self._steering = 0
        """How many of the first rows are no prompts."""

    def show_queue(self, prompts: tuple[str, ...], *, paused: bool, steering: tuple[str, ...] = ()) -> None:
        """Show what waits; nothing hides the panel."""
        rows = (*steering, *prompts)
        if (rows, len(steering), paused) == (tuple(self.rows), self._steering, self._paused):
            return
        self._paused, self._steering = paused, len(steering)
        self.set_class(bool(rows), "-waiting")
        self.styles.height = min(len(rows), MOST_ROWS)
        self.show(rows, min(self.highlighted, max(0, len(rows) - 1)))

    def draw(self, row: str, width: int) -> Content:
        number = next(n for n, shown in enumerate(self.rows, 1) if shown is row) - self._steering
        if number <= 0:
            left = Content.assemble(("» ", "$accent"), cut(one_line(row), width - 2))
            return spread(left, Content.styled("read at the next step", "$dim"), width)
        glyph = "‖" if self._paused else "↳"
        left = Content.assemble(
            (f"{glyph} ", "$warning" if self._paused else "$accent"), cut(one_line(row), width - 2)
        )
        if self.has_focus and self._prompt == number - 1:
            note = "enter edits · d removes" + (" · r resumes" if self._paused else "")
        elif number == 1:
            note = "paused · ctrl+x r resumes" if self._paused else "queued · ctrl+x q edits"
        else:
            note = ""
        return spread(
            left, Content.styled(note, "$warning" if self._paused and number == 1 else "$dim"), width
        )

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    @property
    def _prompt(self) -> int | None:
        """The place of the highlighted prompt in the queue."""
        at = self.highlighted - self._steering
        return at if 0 <= at < len(self.rows) - self._steering else None

    def action_choose(self) -> None:
        self._remove(edit=True)

    def action_remove(self) -> None:
        self._remove(edit=False)

    def _remove(self, *, edit: bool) -> None:
        if self._prompt is not None:
            self.post_message(self.Removed(self._prompt, edit=edit))

    def action_resume(self) -> None:
        self.post_message(self.Resumed())
