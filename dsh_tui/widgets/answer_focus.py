"""Answers of which one may be focused: what the approval dock and the trust screen have in common.

None is focused at first, so that a key in flight can't be an answer.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.reactive import reactive
from textual.widget import Widget

A = TypeVar("A")


class AnswerFocus(Widget, Generic[A], can_focus=False):
    """Holds the answers and the focus; whoever shows them decides when one counts."""

    answers: reactive[tuple[A, ...]] = reactive((), layout=True)
    focused: reactive[int | None] = reactive(None)
    armed: reactive[bool] = reactive(False)

    @property
    def answer(self) -> A | None:
        """The focused answer."""
        return None if self.focused is None else self.answers[self.focused]

    def watch_answers(self) -> None:
        self.focused = None

    def move(self, by: int) -> None:
        """Focus the next or the previous answer; from none, the first or the last."""
        if self.focused is None:
            self.focused = 0 if by > 0 else len(self.answers) - 1
        else:
            self.focused = (self.focused + by) % len(self.answers)
