"""The steps of a session, one a line: how much of the prompt was cached, and where that fell."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from dsh_tui.engine.projection.request_views import StepRow
from dsh_tui.widgets.columns import gauge, spread
from dsh_tui.widgets.layout import tokens
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import one_line

BAR: Final = 8
SHORT_BAR: Final = 6
WIDE: Final = 32


class StepList(RowList[StepRow | str]):
    """Turns are headings. ``▼`` marks a step that found less in the cache than was there."""

    def choosable(self, row: StepRow | str) -> bool:
        return isinstance(row, StepRow)

    def draw(self, row: StepRow | str, width: int) -> Content:
        if isinstance(row, str):
            number, gap, asked = row.partition("  ")
            heading = Content.assemble((number, "bold"), (f"{gap}{one_line(asked)}", "$dim"))
            return heading.truncate(width, ellipsis=True)
        left = Content.assemble(("▼ " if row.dropped else "  ", "$warning"), f"step {row.step}")
        if row.attempts > 1:
            left = Content.assemble(left, (f" ×{row.attempts}", "$warning"))
        return spread(left, cache_bar(row, wide=width >= WIDE), width)


def with_turns(rows: tuple[StepRow, ...]) -> list[StepRow | str]:
    """The steps under the turns that they belong to."""
    lines: list[StepRow | str] = []
    turn = None
    for row in rows:
        if row.turn != turn:
            turn = row.turn
            lines.append(f"Turn {turn}  {row.asked}".rstrip())
        lines.append(row)
    return lines


def cache_bar(row: StepRow, *, wide: bool) -> Content:
    """What the provider had cached of the prompt."""
    percent = row.hit_percent
    if percent is None:
        return Content.styled("not counted", "$dim")
    style = "$warning" if row.dropped else "$ok" if percent >= 50 else "$accent"
    sent = Content.styled(tokens((row.hit or 0) + (row.miss or 0)).rjust(7), "$dim") if wide else Content("")
    bar = Content.assemble((gauge(percent, BAR if wide else SHORT_BAR), f"{style} on $rule"))
    return Content.assemble(bar, f"{percent:4.0f} %", sent)
