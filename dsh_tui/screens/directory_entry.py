"""A dialog for a session whose directory is lost: go on in another, only read, or go to another session."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from dsh_tui.screens.line_entry import LineEntry, Save
from dsh_tui.widgets.visible_text import one_line


class DirectoryEntry(LineEntry):
    """Closes with True once the session has a directory; `elsewhere` says that another session is wanted."""

    KEYS: ClassVar[str] = "enter goes on there · esc only reads · ctrl+l sessions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+l", "elsewhere", "Other sessions", show=False, priority=True)
    ]

    def __init__(self, trouble: str, save: Save, *, value: str) -> None:
        super().__init__(
            "Where does this session go on?",
            f"{one_line(trouble)}. Nothing runs before you choose. Its log will say where it went on.",
            save,
            placeholder="directory",
            value=value,
        )
        self.elsewhere = False

    def action_elsewhere(self) -> None:
        self.elsewhere = True
        self.dismiss(False)
