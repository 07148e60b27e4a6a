"""Past decisions, one a line: what was called, how it ended, who decided and when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.content import Content

from dsh_tui.engine.projection.permission_views import DecisionRow
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.row_list import ARROWS, RowList
from dsh_tui.widgets.session_list import age
from dsh_tui.widgets.visible_text import exact_line

MARKS: Final = {
    "allowed": ("✓", "$ok"),
    "refused": ("✗", "$error"),
    "not answered": ("○", "$dim"),
    "not run": ("○", "$dim"),
}
WIDE: Final = 90
_WHO_WIDE, _WHO_NARROW, _AGE = 38, 18, 10


class DecisionList(RowList[DecisionRow], inherit_bindings=False):
    """Letters belong to the filter, so only arrows and their like move here."""

    BINDINGS: ClassVar[list[BindingType]] = [*ARROWS]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.now_ms = 0

    def draw(self, row: DecisionRow, width: int) -> Content:
        mark, colour = MARKS[row.ended]
        room = _WHO_WIDE if width >= WIDE else _WHO_NARROW
        who = cut(exact_line(who_decided(row)), room).ljust(room)
        when = cut(age(row.time, self.now_ms), _AGE).rjust(_AGE)
        left = Content.assemble((f"{mark} ", colour), exact_line(row.call))
        mine = "" if row.decider == "person" else "$dim"
        return spread(left, Content.assemble((who, mine), (when, "$dim")), width)


def who_decided(row: DecisionRow) -> str:
    """``you after 4.2 s``, a rule's text, ``mode ask``."""
    match row.decider:
        case "person":
            who = "you" if row.by == "user" else row.by
            return who if row.took_ms is None else f"{who} after {took(row.took_ms)}"
        case "mode":
            return f"mode {row.by}"
        case "nobody":
            return "nobody to ask"
        case "stopped":
            return "the turn was stopped"
        case _:
            return row.by


def decision_of(row: DecisionRow) -> str:
    """The decision in a sentence, with why it was asked and what was said."""
    by = ": " if row.decider in ("nobody", "stopped") else " by "
    said = f" · {row.words}" if row.words else ""
    why = f" · {row.why}" if row.why else ""
    return f"{row.ended.capitalize()}{by}{who_decided(row)}{said}{why}"


def took(milliseconds: int) -> str:
    """``0.4 s``, ``12 s``, ``3 min``, ``2 h``."""
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min" if seconds < 3600 else f"{seconds // 3600:.0f} h"


def filtered(rows: Iterable[DecisionRow], words: str) -> list[DecisionRow]:
    """Rows in which every word occurs: in the call, who decided, how it ended, or its session."""
    wanted = words.lower().split()
    return [row for row in rows if all(word in _said(row) for word in wanted)] if wanted else list(rows)


def _said(row: DecisionRow) -> str:
    return f"{row.call}\n{row.ended}\n{row.decider} {row.by}\n{who_decided(row)}\n{row.session_title}".lower()
