"""First run: what can be done without a key, as three choices above the composer."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList

Choice = tuple[str, str, str, str]
"""Key, action id, label, note."""

CHOICES: Final[tuple[Choice, ...]] = (
    ("1", "setup.key", "Enter a DeepSeek API key", "kept in your own credential file, mode 0600"),
    ("2", "setup.server", "Use a local server", "anything that speaks the OpenAI protocol"),
    ("3", "session.browse", "Open earlier sessions", "reading them needs no key"),
)


class FirstRunPanel(RowList[Choice]):
    """Shown while nothing can be asked of a model. Posts which action was chosen."""

    DEFAULT_CSS = """
    FirstRunPanel {
        display: none;
        height: auto;
        padding: 0 1;
        border: round $frame;
        border-title-color: $accent;
        border-subtitle-color: $dim;
        & .row--highlighted { background: $background; }
        &:focus { border: round $accent; }
        &:focus .row--highlighted { background: $selected; }
        &.-needed { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"pick({number})", label, show=False)
        for number, (key, _, label, _) in enumerate(CHOICES)
    ]

    class Picked(Message):
        """One of the choices, by the id of its action."""

        def __init__(self, action_id: str) -> None:
            self.action_id = action_id
            super().__init__()

    def on_mount(self) -> None:
        self.border_title = Content("No model yet: what you see is a recording")
        self.border_subtitle = Content("1–3 or enter chooses · tab goes to the draft")
        self.styles.height = len(CHOICES) + 2
        self.show(CHOICES)

    def draw(self, row: Choice, width: int) -> Content:
        key, _, label, note = row
        return spread(
            Content.assemble((f" {key} ", "bold $accent"), label), Content.styled(note, "$dim"), width
        )

    def action_choose(self) -> None:
        self.action_pick(self.highlighted)

    def action_pick(self, number: int) -> None:
        self.post_message(self.Picked(CHOICES[number][1]))
