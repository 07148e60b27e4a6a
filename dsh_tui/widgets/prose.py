"""Plain outside text to rows: lines kept, long ones wrapped, nothing interpreted.

Source: design §3 row 17.
"""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.layout import lines
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, row
from dsh_tui.widgets.visible_text import TAB, drawn
from dsh_tui.widgets.wrap import wrap


def plain_rows(text: str, width: int, style: Style) -> list[Row]:
    """All lines of a text."""
    out: list[Row] = []
    for line in drawn(text).rstrip("\n").split("\n"):
        if "\t" in line:
            line = line.expandtabs(TAB)
        out.extend(wrap([Segment(line, style)], width))
    return out


def capped(rows: list[Row], limit: int, palette: Palette, *, tail: bool = False) -> list[Row]:
    """At most ``limit`` rows; what is left out is counted, and says how to see it."""
    cut = len(rows) - limit
    if cut <= 1:
        return rows
    more = row((lines(cut, "more"), palette.dim), ("  enter opens", palette.faint), gutter=0, copied="")
    return [more, *rows[-limit:]] if tail else [*rows[:limit], more]
