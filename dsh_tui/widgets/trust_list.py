"""What a project would load, one row each: how it stands, what it is, its name with nothing hidden.

Source: design §3.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from dsh_tui.engine.base.visible import exact_line
from dsh_tui.engine.projection.trust_views import TrustEntry, TrustQuestion
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList

_STATES: Final = {"new": "$warning", "changed": "$warning", "trusted": "$ok"}


@dataclass(frozen=True, slots=True)
class Never:
    """Something that lies there and never takes effect."""

    path: str
    why: str


TrustRow = TrustEntry | Never


def rows_of(question: TrustQuestion) -> list[TrustRow]:
    """What waits for trust first, what never counts last."""
    entries = sorted(question.entries, key=lambda entry: entry.state == "trusted")
    return [*entries, *(Never(path, why) for path, why in question.never)]


def size_words(size: int) -> str:
    """``812 B``, ``12.4 KB``."""
    return f"{size:,} B" if size < 10_000 else f"{size / 1000:,.1f} KB"


class TrustList(RowList[TrustRow], inherit_bindings=False):
    """The rows. No letter moves in it, since letters belong to the draft; enter is for the answers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "edge(-1)", "First", show=False),
        Binding("end", "edge(1)", "Last", show=False),
    ]

    DEFAULT_CSS = "TrustList { height: auto; max-height: 35vh; }"

    def draw(self, row: TrustRow, width: int) -> Content:
        if isinstance(row, Never):
            why = exact_line(row.why)
            return Content.assemble(
                ("never    ", "$dim"), (exact_line(row.path), "$dim"), (f"  {why}", "$dim")
            ).truncate(width, ellipsis=True)
        left = Content.assemble(
            (f"{row.state:<8} ", _STATES[row.state]), (f"{row.kind:<12} ", "$dim"), exact_line(row.path)
        )
        return spread(left, Content.styled(f" {size_words(row.size)}", "$dim"), width)
