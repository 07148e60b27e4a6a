"""What the approval dock says about a waiting call: the question, its head line, the explanation."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.card_text import Line
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.reveal import reveal
from dsh_tui.widgets.visible_text import one_line

_ANSWERS_EXPLAINED: Final = (
    "Allow once: this call runs now, as shown; the next one asks again.",
    "Deny: it does not run; the model is told that you refused.",
    "Deny, and say why: as Deny, and the model reads your words.",
    "Esc stops the whole turn; nothing that waits will run.",
)


def question(approval: ApprovalView) -> str:
    """The dock's title."""
    card = approval.card
    if card.kind == "command":
        return "Run a command?"
    if card.kind == "diff" and card.diff is not None:
        return "Create a file?" if card.diff.created else "Change a file?"
    return f"Allow {cut(one_line(approval.verb or approval.tool), 30)}?"


def head_line(approval: ApprovalView, project: str, width: int) -> Content:
    """What it acts on and why on the left, who asks on the right."""
    card = approval.card
    if card.kind == "diff" and card.diff is not None:
        left = Content.assemble(
            (one_line(card.diff.path), "bold"),
            (f"   +{card.diff.added}", "$ok"),
            (f" −{card.diff.removed}", "$error"),
        )
    elif card.kind == "command":
        left = Content.styled(
            one_line(card.description) or "No description given", "bold" if card.description else "$dim"
        )
    else:
        left = Content.styled(one_line(approval.subject) or approval.tool, "bold")
    place = one_line(card.cwd if card.cwd and card.cwd != approval.cwd else project)
    who = Content.styled(f"main agent · {cut(place, 40)}" if width >= 60 else "", "$dim")
    return spread(left, who, width)


def explanation(approval: ApprovalView) -> list[Line]:
    """Why it asks, and what each answer does."""
    lines: list[Line] = [("", reveal(approval.reason) or "The mode asks before this tool acts.", "")]
    lines.append(
        ("", f"Tool {one_line(approval.tool)}, in {one_line(approval.card.cwd or approval.cwd)}", "$dim")
    )
    lines.append(("", "", ""))
    lines.extend(("", text, "") for text in _ANSWERS_EXPLAINED)
    return lines
