"""The line in which one types what to find in the transcript, with how much of it there is.

It never takes anything from the draft: it has a field of its own, and esc gives the keys back.
Source: UX spec §4 (search transcript).
"""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

KEYS = "enter older · ↓ newer · tab to the block · esc closes"
_LEAST_FIELD = 32
"""Cells for what is typed, before the keys are said beside it."""


class FindBar(Horizontal):
    """Posts what is wanted; the screen asks the transcript, and says what came of it."""

    DEFAULT_CSS = """
    FindBar {
        display: none;
        height: 1;
        padding: 0 2;
        background: $raised;
        &.-open { display: block; }
        & > #find-label { width: auto; color: $accent; margin-right: 1; }
        & > Input {
            width: 1fr;
            height: 1;
            padding: 0;
            border: none;
            background: $raised;
            background-tint: 0%;
            &:focus { border: none; background-tint: 0%; }
        }
        & > #find-told { width: auto; color: $dim; margin-left: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,up", "step(True)", "Older", show=False, priority=True),
        Binding("down,shift+enter", "step(False)", "Newer", show=False, priority=True),
        Binding("tab", "leave", "To the block", show=False, priority=True),
    ]

    class Wanted(Message):
        """Go to a place with these words: the next older one, or newer."""

        def __init__(self, words: str, *, older: bool = True) -> None:
            self.words = words
            self.older = older
            super().__init__()

    class Left(Message):
        """The keys are to go to what was found."""

    _found = Content("")

    def compose(self) -> ComposeResult:
        yield Static("find", markup=False, id="find-label")
        self._input = Input(placeholder="in this session", compact=True, select_on_focus=True)
        self._input.cursor_blink = False
        yield self._input
        yield Static(id="find-told", markup=False)

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    @property
    def words(self) -> str:
        """What is looked for; nothing while it is closed."""
        return self._input.value if self.is_open else ""

    def open(self, words: str = "") -> None:
        """Take the keys; what was looked for last stands there, all of it selected."""
        self.add_class("-open")
        if words and words != self._input.value:
            self._input.value = words
        elif self._input.value:
            self.post_message(self.Wanted(self._input.value))
        self.tell("")
        self._input.focus()

    def close(self) -> None:
        self.remove_class("-open")

    def tell(self, found: str, *, nowhere: bool = False) -> None:
        """Say what came of it, and the keys where there is room."""
        self._found = Content.styled(found, "$warning" if nowhere else "")
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        roomy = self.size.width - _LEAST_FIELD > self._found.cell_length + len(KEYS)
        keys = f"{'   ' if self._found else ''}{KEYS}" if roomy else ""
        self.query_one("#find-told", Static).update(Content.assemble(self._found, keys))

    def on_focus(self, _event: events.Focus) -> None:
        self._input.focus()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self.post_message(self.Wanted(event.value))

    def action_step(self, older: bool) -> None:  # noqa: FBT001 - from a binding
        self.post_message(self.Wanted(self._input.value, older=older))

    def action_leave(self) -> None:
        self.post_message(self.Left())
