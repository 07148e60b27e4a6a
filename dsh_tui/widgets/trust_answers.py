"""The answers of the trust screen in one row. None is focused at first, and none has a key of its own:
what a hand already typed can't be one.

Source: design §3.14; UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message

from dsh_tui.engine.projection.trust_views import TrustAnswer
from dsh_tui.widgets.answer_focus import AnswerFocus

LABELS: Final[dict[TrustAnswer, str]] = {
    "trust": " Trust this folder ",
    "later": " Not now ",
    "never": " Don't ask again ",
    "revoke": " Revoke trust ",
    "leave": " Close ",
}
SHORT: Final[dict[TrustAnswer, str]] = {
    "trust": " Trust ",
    "later": " Not now ",
    "never": " Never ",
    "revoke": " Revoke ",
    "leave": " Close ",
}
"""Where the others do not fit."""
_GAP: Final = 1


class TrustAnswers(AnswerFocus[TrustAnswer]):
    """Shows the answers; the screen moves the focus and decides when one counts."""

    DEFAULT_CSS = "TrustAnswers { height: 1; color: $foreground; }"

    class Clicked(Message):
        """An answer was clicked."""

        def __init__(self, answer: TrustAnswer) -> None:
            self.answer = answer
            super().__init__()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        left = 0
        for answer in self.answers:
            width = cell_len(self._labels[answer])
            if left <= event.x < left + width:
                self.post_message(self.Clicked(answer))
            left += width + _GAP

    @property
    def _labels(self) -> dict[TrustAnswer, str]:
        needed = sum(cell_len(LABELS[answer]) + _GAP for answer in self.answers) - _GAP
        return LABELS if needed <= self.size.width else SHORT

    def render(self) -> RenderResult:
        return Content(" " * _GAP).join([self._draw(number) for number in range(len(self.answers))])

    def _draw(self, number: int) -> Content:
        label = self._labels[self.answers[number]]
        if number == self.focused:
            return Content.styled(label, "bold $background on $accent" if self.armed else "bold on $selected")
        return Content.styled(label, "" if self.armed else "$dim")
