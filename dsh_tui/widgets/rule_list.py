"""The rules in force, one a line: what they say, where they stand, how often they decided."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from textual.content import Content

from dsh_tui.engine.projection.permission_views import RuleRow
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import exact_line

COLOURS: Final = {"allow": "$ok", "ask": "$waiting", "deny": "$error"}
PLACES: Final = {"session": "this session", "project": "this project", "user": "everywhere"}
_TALL: Final = 8
WIDE: Final = 90


class RuleList(RowList[RuleRow]):
    """As tall as its rules, up to eight."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.now_ms = 0

    def show_rules(self, rows: list[RuleRow]) -> None:
        """Replace the rules and take as many lines as they need."""
        self.styles.height = max(1, min(len(rows), _TALL))
        self.show(rows, self.highlighted)

    def draw(self, row: RuleRow, width: int) -> Content:
        if row.unread:
            left = Content.assemble(("unread ", "$warning"), exact_line(row.rule))
            facts = [f"{PLACES.get(row.scope, row.scope):<12}", row.unread]
            return spread(left, Content.styled("  ".join(facts), "$warning"), width)
        effect, _, body = row.rule.partition(" ")
        left = Content.assemble((f"{effect:<6}", COLOURS.get(effect, "")), exact_line(body))
        facts = [f"{PLACES.get(row.scope, row.scope):<12}", hits(row.hits).rjust(11)]
        if width >= WIDE:
            facts.append(("" if row.since is None else since(row.since, self.now_ms)).rjust(16))
        return spread(left, Content.styled("  ".join(facts), "$dim"), width)


def since(then_ms: int, now_ms: int) -> str:
    """``since 14:02`` today, else ``since Nov 12``; local time."""
    then, now = datetime.fromtimestamp(then_ms / 1000), datetime.fromtimestamp(now_ms / 1000)
    return f"since {then:%H:%M}" if then.date() == now.date() else f"since {then:%b} {then.day}"


def hits(count: int | None) -> str:
    """``never used``, ``1 time``, ``12 times``; nothing while it is being counted."""
    if count is None:
        return ""
    if count == 0:
        return "never used"
    return "1 time" if count == 1 else f"{count:,} times"
