"""A small dialog that asks for one line: a title, a key (masked), a server's address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from dsh_tui.widgets.visible_text import one_line

Save = Callable[[str], Awaitable[None]]


class LineEntry(ModalScreen[bool]):
    """Closes with True once ``save`` took the line; what it raises is said in the dialog, nothing is lost."""

    KEYS: ClassVar[str] = "enter saves · esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", show=False)]

    def __init__(
        self,
        title: str,
        explanation: str,
        save: Save,
        *,
        placeholder: str = "",
        value: str = "",
        masked: bool = False,
    ) -> None:
        super().__init__()
        self._title, self._explanation, self._save = title, explanation, save
        self._entry = Input(value, placeholder=placeholder, password=masked, id="entry", compact=True)
        self._entry.cursor_blink = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(self._title)
            dialog.border_subtitle = Content(self.KEYS)
            yield Static(self._explanation, markup=False, classes="explanation")
            yield self._entry
            yield Static("", markup=False, id="trouble")

    def action_leave(self) -> None:
        self.dismiss(False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if value := event.value.strip():
            self._store(value)

    @work(exclusive=True, exit_on_error=False)
    async def _store(self, value: str) -> None:
        try:
            await self._save(value)
        except Exception as error:  # noqa: BLE001 - whatever it is, the person reads it and tries again
            self.query_one("#trouble", Static).update(one_line(str(error)) or type(error).__name__)
        else:
            self.dismiss(True)
