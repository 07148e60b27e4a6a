"""A row of a block: what is drawn on one line, and which part of it is text worth copying.

Rows are light (a Textual `Strip` costs some 2 KB); strips are made of those that are on screen.
Source: design §3 rows 18 and 19.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

ELLIPSIS = "…"


class Row(NamedTuple):
    """One line. The first ``gutter`` characters are drawing; ``joint`` stood between it and the next."""

    segments: Sequence[Segment]
    cells: int
    gutter: int = 0
    joint: str = "\n"
    copied: str | None = None
    """What copying gives, where it is not the text after the gutter."""

    @property
    def text(self) -> str:
        """All characters, drawing too."""
        return "".join([segment.text for segment in self.segments])

    @property
    def content(self) -> str:
        """The text without drawing."""
        if self.copied is not None:
            return self.copied
        return self.text[self.gutter :]


BLANK = Row((), 0)


def row(*parts: tuple[str, Style], gutter: int = 0, copied: str | None = None) -> Row:
    """A row from pieces of text."""
    segments = [Segment(text, style) for text, style in parts if text]
    return Row(segments, sum([cell_len(text) for text, _ in parts]), gutter, "\n", copied)


def fit(text: str, cells: int) -> str:
    """Text cut to so many cells, the cut marked."""
    if cell_len(text) <= cells:
        return text
    if cells <= 1:
        return ELLIPSIS[:cells]
    return set_cell_size(text, cells - 1).rstrip() + ELLIPSIS


def prefixed(rows: Iterable[Row], first: Segment, rest: Segment, cells: int) -> list[Row]:
    """Rows behind a drawn prefix of so many cells: bullets, quote bars, rules."""
    out: list[Row] = []
    prefix = first
    for each in rows:
        gutter = len(prefix.text) + each.gutter
        out.append(Row([prefix, *each.segments], cells + each.cells, gutter, each.joint, each.copied))
        prefix = rest
    return out
