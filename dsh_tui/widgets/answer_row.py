"""The answers of the approval dock in one row, or two where it is narrow. One, or none, is focused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

GAP: Final = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """A key, what it does, and its name for the dock."""

    keys: tuple[str, ...]
    label: str
    name: str
    short: str = ""
    """Label where one row is too narrow."""


ANSWERS: Final = (
    Answer(("1", "y"), "Allow once", "allow"),
    Answer(("4", "n"), "Deny", "deny"),
    Answer(("5",), "Deny, and say why…", "say_why", "Say why…"),
    Answer(("f",), "Full view", "full"),
    Answer(("question_mark",), "Explain", "explain"),
)
BY_KEY: Final = {key: answer for answer in ANSWERS for key in answer.keys}


def _label(answer: Answer, *, short: bool = False) -> str:
    key = "?" if answer.keys[0] == "question_mark" else answer.keys[0]
    return f" {key} {(short and answer.short) or answer.label} "


def answer_rows(width: int) -> list[list[int]]:
    """Which answers stand in which row at ``width`` cells; the gap shrinks before a row breaks."""
    for gap in (GAP - 2, 1, 0):
        if sum(len(_label(answer)) + gap for answer in ANSWERS) - gap <= width:
            return [list(range(len(ANSWERS)))]
    rows: list[list[int]] = [[]]
    used = 0
    for number, answer in enumerate(ANSWERS):
        cells = len(_label(answer, short=True))
        if rows[-1] and used + cells > width:
            rows.append([])
            used = 0
        rows[-1].append(number)
        used += cells
    return rows


class AnswerRow(Widget, can_focus=False):
    """Shows the answers; which one is focused is set by the dock."""

    DEFAULT_CSS = """
    AnswerRow { height: auto; color: $foreground; }
    """

    focused: reactive[int | None] = reactive(None)
    armed: reactive[bool] = reactive(False)

    class Clicked(Message):
        """An answer was clicked."""

        def __init__(self, answer: Answer) -> None:
            self.answer = answer
            super().__init__()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        rows = answer_rows(self.size.width)
        short, left = len(rows) > 1, 0
        for number in rows[event.y] if event.y < len(rows) else ():
            right = left + len(_label(ANSWERS[number], short=short)) + self._gap(rows)
            if left <= event.x < right:
                self.post_message(self.Clicked(ANSWERS[number]))
            left = right

    @property
    def answer(self) -> Answer | None:
        """The focused answer."""
        return None if self.focused is None else ANSWERS[self.focused]

    def move(self, by: int) -> None:
        """Focus the next or the previous answer; from none, the first or the last."""
        if self.focused is None:
            self.focused = 0 if by > 0 else len(ANSWERS) - 1
        else:
            self.focused = (self.focused + by) % len(ANSWERS)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(answer_rows(width))

    def render(self) -> RenderResult:
        rows = answer_rows(self.size.width)
        gap = " " * self._gap(rows)
        return Content("\n").join(
            Content(gap).join([self._draw(number, short=len(rows) > 1) for number in row]) for row in rows
        )

    def _gap(self, rows: list[list[int]]) -> int:
        total = sum(len(_label(answer)) for answer in ANSWERS)
        spare = (self.size.width - total) // (len(ANSWERS) - 1)
        return max(0, min(GAP - 2, spare)) if len(rows) == 1 else 0

    def _draw(self, number: int, *, short: bool) -> Content:
        text = _label(ANSWERS[number], short=short)
        if number == self.focused:
            return Content.styled(text, "bold $background on $accent" if self.armed else "bold on $selected")
        key, label = text[:2], text[2:]
        return Content.assemble((key, "bold $accent" if self.armed else "bold $dim"),
                                (label, "" if self.armed else "$dim"))  # fmt: skip
