"""The parts of a request, one a line, each opened to its text; or what differs from the step before.

Source: ux spec §3.1 (request inspector).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len, chop_cells
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.message import Message

from dsh_tui.engine.base.visible import exact
from dsh_tui.engine.projection.request_views import PartChange, PartView
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.layout import tokens
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import TAB, one_line

OPENED_LINES: Final = 5_000
"""Lines of a part that are shown; copying gives all."""
PREVIEW: Final = 200
"""Characters of a folded part from which its line is made."""
PRODUCER: Final = 14
WIDE: Final = 64
_KINDS: Final = {"settings": "", "system": "system", "tool": "tool", "message": ""}
_SIGNS: Final = {"added": ("+ ", "$ok"), "removed": ("− ", "$error"), "changed": ("± ", "$accent")}
_LOOKS: Final = {"+": "$foreground on $added", "-": "$foreground on $removed"}


@dataclass(frozen=True, slots=True)
class PartLine:
    """The head of a part."""

    part: PartView
    change: PartChange | None
    opened: bool


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a part's text."""

    text: str
    look: str
    part: PartView


Line = PartLine | TextLine


class RequestPartsList(RowList[Line]):
    """Enter opens and folds, y copies the part, Y the whole request."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "Open or fold", show=False),
        Binding("y", "copy", "Copy the part", show=False),
    ]

    class CopyAsked(Message):
        """A person wants this part on the clipboard."""

        def __init__(self, part: PartView) -> None:
            self.part = part
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._parts: Sequence[PartView] = ()
        self._changes: Sequence[PartChange] | None = None
        self._toggled: set[tuple[str, str]] = set()

    @property
    def part(self) -> PartView | None:
        """What the highlight is in."""
        row = self.row
        return None if row is None else row.part

    def show_parts(self, parts: Sequence[PartView], changes: Sequence[PartChange] | None) -> None:
        """Show a request; with ``changes`` only those. What was opened stays open in the next request."""
        if (changes is None) != (self._changes is None):
            self._toggled.clear()
        self._parts, self._changes = parts, changes
        self._rebuild(0)

    def toggle(self) -> None:
        """Open or fold the part in which the highlight is."""
        part = self.part
        if part is None:
            return
        self._toggled ^= {_name(part)}
        head = next(
            (
                at
                for at in range(self.highlighted, -1, -1)
                if isinstance(line := self.rows[at], PartLine) and line.part == part
            ),
            0,
        )
        self._rebuild(head)

    def action_copy(self) -> None:
        if self.part is not None:
            self.post_message(self.CopyAsked(self.part))

    def on_resize(self, _event: Resize) -> None:
        if self.rows:
            self._rebuild(self.highlighted)

    def draw(self, row: Line, width: int) -> Content:
        if isinstance(row, TextLine):
            line = Content.assemble(("  │ ", "$rule"), (row.text, row.look))
            if " on " in row.look:
                return line.pad_right(max(0, width - line.cell_length)).stylize(row.look, 4)
            return line
        part = row.part
        sign, style = _SIGNS[row.change.kind] if row.change is not None else ("", "")
        kind = _KINDS[part.kind]
        preview = "" if row.opened else one_line(" ".join(part.text[:PREVIEW].split()))
        left = Content.assemble(
            ("▾ " if row.opened else "▸ ", "$dim"),
            (sign, style),
            (f"{kind} " if kind else "", "$dim"),
            one_line(part.label),
            (f"   {one_line(part.producer)}" if part.producer and width < WIDE else "", "$accent"),
            (f"   {preview}" if preview else "", "$dim"),
        )
        sizes = f"≈{tokens(part.tokens)}".rjust(8) + f"{tokens(part.bytes)} B".rjust(9)
        if not part.bytes:
            sizes = "not sent".rjust(17)
        right = Content.styled(sizes, "$dim")
        if width >= WIDE:
            who = cut(one_line(part.producer), PRODUCER).rjust(PRODUCER)
            right = Content.assemble((who, "$accent"), (f"   #{part.seq}".rjust(9), "$dim"), right)
        return spread(left, right, width)

    def _rebuild(self, highlighted: int) -> None:
        width = max(8, self.scrollable_content_region.width - 4)
        lines: list[Line] = []
        if self._changes is None:
            for part in self._parts:
                opened = _name(part) in self._toggled
                lines.append(PartLine(part, None, opened))
                if opened:
                    lines += _text_lines(part, part.text.rstrip("\n").split("\n"), width, signed=False)
        else:
            for change in self._changes:
                opened = _name(change.part) not in self._toggled
                lines.append(PartLine(change.part, change, opened))
                if opened:
                    lines += _text_lines(change.part, change.lines, width, signed=True)
        self.show(lines, highlighted)


def _name(part: PartView) -> tuple[str, str]:
    return part.kind, part.key


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Cut between words where that leaves no great gap; every character stays."""
    while cell_len(text) > width:
        piece = chop_cells(text, width)[0]
        at = piece.rfind(" ") + 1
        piece = piece[:at] if at > len(piece) // 2 else piece
        yield piece
        text = text[len(piece) :]
    yield text


def _text_lines(part: PartView, texts: Sequence[str], width: int, *, signed: bool) -> Iterator[TextLine]:
    for text in texts[:OPENED_LINES]:
        look = _LOOKS.get(text[:1], "$dim") if signed else ""
        for piece in _wrapped(exact(text).expandtabs(TAB), width):
            yield TextLine(piece, look, part)
    if len(texts) > OPENED_LINES:
        yield TextLine(f"{len(texts) - OPENED_LINES:,} more lines; y copies all", "$warning", part)
