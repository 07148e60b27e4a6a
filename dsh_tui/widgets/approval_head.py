"""What stands above the card of a waiting call: its danger, what it acts on, where and why it asks.

In a short window one of these lines is left, and says how much of the card is out of view.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.approval_words import danger_line, facts_line, head_line
from dsh_tui.widgets.columns import spread


class ApprovalHead(Vertical):
    """Up to three lines on one approval."""

    DEFAULT_CSS = """
    ApprovalHead {
        height: auto;
        padding: 0 0 0 1;
        & > Static { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #danger { display: none; height: auto; max-height: 2; text-wrap: wrap; }
        &.-danger > #danger { display: block; }
        &.-short > #danger { height: 1; text-wrap: nowrap; }
        &.-short > #facts, &.-short.-danger > #head { display: none; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(id="danger", markup=False)
        yield Static(id="head", markup=False)
        yield Static(id="facts", markup=False)

    def show(self, approval: ApprovalView, *, read: bool, hidden: str, short: bool) -> None:
        """``hidden`` says what of the card is out of view; it stands here where the window is short."""
        self.set_class(bool(approval.danger), "-danger")
        self.set_class(short, "-short")
        danger, head = danger_line(approval, read=read, brief=short), head_line(approval, brief=short)
        if short and hidden:
            told, width = Content.styled(hidden, "$warning"), self.content_size.width
            danger, head = (spread(line, told, width) for line in (danger, head))
        self.query_one("#danger", Static).update(danger)
        self.query_one("#head", Static).update(head)
        self.query_one("#facts", Static).update(facts_line(approval))
