"""First run: what can be done without a key, as three choices above the composer."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.typing_elsewhere import TypingElsewhere

Choice = tuple[str, str, str, str]
"""Key, action id, label, note."""

CHOICES: Final[tuple[Choice, ...]] = (
    ("1", "setup.key", "Enter a DeepSeek API key", "kept in a file that only you can read"),
    ("2", "setup.server", "Use a local server", "anything that speaks the OpenAI protocol"),
    ("3", "session.browse", "Open earlier sessions", "reading them needs no key"),
)
RECORDED: Final = "No key yet: this is a recording, nothing here is live"
COMPACT: Final = " No key yet:  1 enter a key   2 local server   3 earlier sessions"
KEYLESS: Final = "No key yet: this session can be read, not continued"


class FirstRunPanel(TypingElsewhere, RowList[Choice]):
    """Shown while nothing can be asked of a model. Posts which action was chosen."""

    DEFAULT_CSS = """
    FirstRunPanel {
        display: none;
        height: 5;
        padding: 0 1;
        border: round $frame;
        border-title-color: $warning;
        border-subtitle-color: $dim;
        & .row--highlighted { background: $background; }
        &:focus { border: round $accent; }
        &:focus .row--highlighted { background: $selected; }
        &.-needed { display: block; }
        &.-compact, &.-compact:focus { height: 1; border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"pick({number})", label, show=False)
        for number, (key, _, label, _) in enumerate(CHOICES)
    ]

    recording: reactive[bool] = reactive(False)
    """Whether the screen plays a recording meanwhile."""
    compact: reactive[bool] = reactive(False, toggle_class="-compact")
    """One line, where the rows are needed for something else."""

    class Picked(Message):
        """One of the choices, by the id of its action."""

        def __init__(self, action_id: str) -> None:
            self.action_id = action_id
            super().__init__()

    def on_mount(self) -> None:
        self.border_subtitle = Content("1–3 or enter chooses · / commands")
        self.show(CHOICES)

    def watch_recording(self, recording: bool) -> None:  # noqa: FBT001 - Textual's signature
        self.border_title = Content(RECORDED if recording else KEYLESS)

    def watch_compact(self) -> None:
        self.show(CHOICES, self.highlighted)

    def begins_draft(self, event: events.Key) -> bool:
        """Letters do, also those that move in other lists; the keys of the choices don't."""
        return event.is_printable and event.character not in [key for key, *_ in CHOICES]

    def draw(self, row: Choice, width: int) -> Content:
        if self.compact:
            return Content(COMPACT)
        key, _, label, note = row
        choice = Content.assemble((f" {key} ", "bold $accent"), label)
        room = width - choice.cell_length - 3
        if room < len(note):
            return choice
        return spread(choice, Content.styled(cut(note, room), "$dim"), width)

    def action_choose(self) -> None:
        self.action_pick(self.highlighted)

    def action_pick(self, number: int) -> None:
        self.post_message(self.Picked(CHOICES[number][1]))

    async def action_page(self, direction: int) -> None:  # type: ignore[override]  # Textual awaits either
        """The list is short; the transcript above it is what has pages."""
        await self.run_action("screen.view_page_up" if direction < 0 else "screen.view_page_down")
