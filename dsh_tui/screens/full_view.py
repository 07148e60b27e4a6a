"""The full view of what waits for approval: the whole screen for the whole text. Decides nothing.

It ends by saying whether its end was in view: what is dangerous can't be allowed before.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.approval_head import ApprovalHead
from dsh_tui.widgets.approval_words import asker, is_elsewhere, out_of_view, question
from dsh_tui.widgets.card_rows import card_draw
from dsh_tui.widgets.card_text import CardText
from dsh_tui.widgets.columns import spread

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
        yield Static(id="title", markup=False)
        yield ApprovalHead()
        yield CardText(id="card")
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._card = self.query_one(CardText)
        self._show()

    def on_resize(self) -> None:
        approval = self._approval
        title = Content.styled(question(approval), "bold $waiting")
        who = Content.styled(asker(approval, self._project), "$waiting" if is_elsewhere(approval) else "$dim")
        self.query_one("#title", Static).update(spread(title, who, max(10, self.size.width)))

    def on_card_text_measured(self) -> None:
        self._read = self._read or self._card.end_seen
        self.query_one(ApprovalHead).show(self._approval, read=self._read, hidden="", short=False)
        hidden = out_of_view(self._card.above, self._card.below)
        columns = "s one column or two" if self._has_columns else ""
        told = " · ".join(filter(None, (hidden, columns, "esc back to the answers")))
        self.query_one("#place", Static).update(told)

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
