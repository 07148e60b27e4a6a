"""The queue: prompts that wait for the turn to end, in order, each of which can be taken back."""

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
    """Waiting prompts. Editing or removing one posts its place; the screen asks the engine."""

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

    def show_queue(self, prompts: tuple[str, ...], *, paused: bool) -> None:
        """Show what waits; nothing hides the panel."""
        if (prompts, paused) == (tuple(self.rows), self._paused):
            return
        self._paused = paused
        self.set_class(bool(prompts), "-waiting")
        self.styles.height = min(len(prompts), MOST_ROWS)
        self.show(prompts, min(self.highlighted, max(0, len(prompts) - 1)))

    def draw(self, row: str, width: int) -> Content:
        number = next(n for n, prompt in enumerate(self.rows, 1) if prompt is row)
        glyph = "‖" if self._paused else "↳"
        left = Content.assemble(
            (f"{glyph} ", "$warning" if self._paused else "$accent"), cut(one_line(row), width - 2)
        )
        if self.has_focus and number - 1 == self.highlighted:
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

    def action_choose(self) -> None:
        if self.rows:
            self.post_message(self.Removed(self.highlighted, edit=True))

    def action_remove(self) -> None:
        if self.rows:
            self.post_message(self.Removed(self.highlighted, edit=False))

    def action_resume(self) -> None:
        self.post_message(self.Resumed())
