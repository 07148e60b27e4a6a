"""The acknowledgement that full access needs: what it means, and a deliberate yes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

WORD = "full"


class FullAccess(ModalScreen[bool]):
    """Closes with True only when the word was typed out: no single key can do it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Keep asking", show=False)]

    def compose(self) -> ComposeResult:
        entry = Input(placeholder=f"type {WORD}", id="entry", compact=True)
        entry.cursor_blink = False
        with Vertical(classes="dialog -danger") as dialog:
            dialog.border_title = Content("Full access")
            dialog.border_subtitle = Content("enter turns it on · esc keeps asking")
            yield Static(
                "Nothing asks any more in this session: the agent may run any command, change and delete "
                "any file, and use the network, all with your rights. The status bar shows “full” for as "
                "long as it lasts; shift+tab goes back to asking.",
                markup=False,
                classes="explanation",
            )
            yield entry
            yield Static("", markup=False, id="trouble")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip().lower() == WORD:
            self.dismiss(True)
        else:
            self.query_one("#trouble", Static).update(f"Type the word {WORD} to turn it on, or press esc.")

    def action_leave(self) -> None:
        self.dismiss(False)
