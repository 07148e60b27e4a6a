"""The full view of what waits for approval: the whole screen for the whole text. Decides nothing.

It ends by saying whether its end was in view: what is dangerous can't be allowed before.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.approval_words import asker, danger_line, facts_line, head_line, out_of_view, question
from dsh_tui.widgets.card_rows import card_draw
from dsh_tui.widgets.card_text import CardText

SIDE_BY_SIDE: Final = 104
"""Cells from which a diff stands side by side here: of a terminal of 110."""
ONE_COLUMN: Final = 1_000_000


class FullView(Screen[bool]):
    """Scrolls; Esc, q or f goes back to the question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f", "leave", "Back", show=False),
        Binding("up,k", "scroll('up')", "Up", show=False),
        Binding("down,j", "scroll('down')", "Down", show=False),
        Binding("pageup,b", "scroll('page_up')", "Page up", show=False),
        Binding("pagedown,space", "scroll('page_down')", "Page down", show=False),
        Binding("home,g", "scroll('home')", "Top", show=False),
        Binding("end,G", "scroll('end')", "End", show=False),
        Binding("s", "columns", "One column or two", show=False),
    ]

    def __init__(self, approval: ApprovalView, project: str) -> None:
        super().__init__()
        self._approval, self._project = approval, project
        self._beside_from = SIDE_BY_SIDE
        self._read = False

    def compose(self) -> ComposeResult:
        approval = self._approval
        yield Static(f"{question(approval)}   {asker(approval, self._project)}", markup=False, id="title")
        yield Static(head_line(approval), markup=False, id="head")
        yield Static(facts_line(approval), markup=False, id="facts")
        if approval.danger:
            yield Static(danger_line(approval, read=False), markup=False, id="danger")
        yield CardText(id="card")
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._card = self.query_one(CardText)
        self._show()

    def on_card_text_measured(self) -> None:
        hidden = out_of_view(self._card.above, self._card.below)
        columns = "s one column or two" if self._has_columns else ""
        back = "esc back to the answers"
        self._read = self._read or self._card.end_seen
        if self._approval.danger and self._read:
            self.query_one("#danger", Static).update(danger_line(self._approval, read=True))
        self.query_one("#place", Static).update(" · ".join(filter(None, (hidden, columns, back))))

    def action_scroll(self, where: str) -> None:
        getattr(self._card, f"scroll_{where}")(animate=False)

    def action_columns(self) -> None:
        if self._has_columns:
            self._beside_from = SIDE_BY_SIDE if self._beside_from == ONE_COLUMN else ONE_COLUMN
            self._show()

    def action_leave(self) -> None:
        self.dismiss(self._read)

    @property
    def _has_columns(self) -> bool:
        diff = self._approval.card.diff
        return diff is not None and not diff.created and self.size.width >= SIDE_BY_SIDE

    def _show(self) -> None:
        self._card.show(card_draw(self._approval.card, beside_from=self._beside_from))
