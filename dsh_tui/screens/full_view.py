"""The full view of what waits for approval: the whole screen for the whole text. Decides nothing."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.approval_words import head_line, question
from dsh_tui.widgets.card_text import CardText, card_lines


class FullView(Screen[None]):
    """Scrolls; Esc, q or f goes back to the question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f", "leave", "Back", show=False),
        Binding("up,k", "scroll('up')", "Up", show=False),
        Binding("down,j", "scroll('down')", "Down", show=False),
        Binding("pageup,b", "scroll('page_up')", "Page up", show=False),
        Binding("pagedown", "scroll('page_down')", "Page down", show=False),
        Binding("home,g", "scroll('home')", "Top", show=False),
        Binding("end,G", "scroll('end')", "End", show=False),
    ]

    def __init__(self, approval: ApprovalView, project: str) -> None:
        super().__init__()
        self._approval, self._project = approval, project

    def compose(self) -> ComposeResult:
        yield Static(question(self._approval), markup=False, id="title")
        yield Static(id="head", markup=False)
        yield CardText(id="card")
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self.query_one(CardText).show(card_lines(self._approval.card))

    def on_resize(self) -> None:
        head = head_line(self._approval, self._project, max(10, self.size.width - 4))
        self.query_one("#head", Static).update(head)

    def on_card_text_measured(self) -> None:
        card = self.query_one(CardText)
        above = f"▲ {card.above:,} lines above   " if card.above else ""
        below = f"▼ {card.below:,} more lines   " if card.below else ""
        self.query_one("#place", Static).update(f"{above}{below}↑ ↓ scroll · esc back to the answers")

    def action_scroll(self, where: str) -> None:
        getattr(self.query_one(CardText), f"scroll_{where}")(animate=False)

    def action_leave(self) -> None:
        self.dismiss(None)
