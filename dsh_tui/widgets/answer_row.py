"""The answers of the approval dock in one row, or two where it is narrow. One, or none, is focused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.message import Message

from dsh_tui.widgets.answer_focus import AnswerFocus
from dsh_tui.widgets.approval_answers import Answer

GAP: Final = 2
_SHORTEST: Final = 2


def arranged(answers: Sequence[Answer], width: int) -> tuple[list[list[str]], int]:
    """The answers in rows of ``width`` cells, and the gap; labels give way before a row breaks."""
    for tier in range(_SHORTEST + 1):
        texts = [answer.text(tier) for answer in answers]
        spare = width - sum(map(cell_len, texts))
        if spare >= 0:
            return [texts], min(GAP, spare // max(1, len(texts) - 1))
    rows: list[list[str]] = [[]]
    used = 0
    for text in texts:
        if rows[-1] and used + cell_len(text) > width:
            rows.append([])
            used = 0
        rows[-1].append(text)
        used += cell_len(text)
    return rows, 0


class AnswerRow(AnswerFocus[Answer]):
    """Shows the answers; which one is focused is set by the dock."""

    DEFAULT_CSS = """
    AnswerRow { height: auto; color: $foreground; }
    """

    class Clicked(Message):
        """An answer was clicked."""

        def __init__(self, answer: Answer) -> None:
            self.answer = answer
            super().__init__()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        rows, gap = arranged(self.answers, self.size.width)
        number = sum(map(len, rows[: event.y]))
        left = 0
        for text in rows[event.y] if event.y < len(rows) else ():
            if left <= event.x < left + cell_len(text):
                self.post_message(self.Clicked(self.answers[number]))
            left += cell_len(text) + gap
            number += 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(arranged(self.answers, width)[0])

    def render(self) -> RenderResult:
        rows, gap = arranged(self.answers, self.size.width)
        drawn: list[Content] = []
        number = 0
        for row in rows:
            drawn.append(
                Content(" " * gap).join([self._draw(text, number + at) for at, text in enumerate(row)])
            )
            number += len(row)
        return Content("\n").join(drawn)

    def _draw(self, text: str, number: int) -> Content:
        if number == self.focused:
            return Content.styled(
                text,
                "bold $background on $accent"
                if self.armed and not self.answers[number].held
                else "bold on $selected",
            )
        end = 1 + len(self.answers[number].keys[0])
        live = self.armed and not self.answers[number].held
        return Content.assemble(
            (text[:end], "bold $accent" if live else "bold $dim"), (text[end:], "" if live else "$dim")
        )
