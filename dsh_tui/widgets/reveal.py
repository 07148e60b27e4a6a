"""Reveals what a text to be approved hides: every invisible character, long gaps, odd blanks.

Nothing that could push a part of a command out of view, or pass for a plain space, is drawn as
itself; where something stands for it is told beside the text, so that a mark can't be forged.
Source: UX spec §4 (full command reachable; escape control and invisible characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from dsh_tui.engine.base.visible import escape, exact, is_plain, visible
from dsh_tui.widgets.visible_text import TAB

LONG_GAP: Final = 20
"""Most white space in a row that is drawn as it is."""
DEEP_INDENT: Final = 60
"""As `LONG_GAP`, in front of a line of a file: code is indented."""

_BLANK: Final = " \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HIDING: Final = re.compile(
    rf"(?P<lines>(?:[{_BLANK}]*\n){{{LONG_GAP + 1},}})"
    rf"|(?P<gap>[{_BLANK}]{{{LONG_GAP + 1},}})"
    "|(?P<odd>[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800])"
)

Span = tuple[int, int]


class Revealed(NamedTuple):
    """A text with nothing hidden, and where in it something stands for what can't be seen."""

    text: str
    marks: tuple[Span, ...] = ()


def reveal(text: str) -> Revealed:
    """``text`` as it may be approved: line feeds stay, tabs are spaces, gaps say their size."""
    out: list[str] = []
    marks: list[Span] = []
    at = column = 0
    for piece, marked in _pieces(text):
        if marked:
            drawn = piece
            marks.append((at, at + len(piece)))
        else:
            drawn = _untabbed(piece, column)
        out.append(drawn)
        at += len(drawn)
        last = drawn.rfind("\n")
        column = column + len(drawn) if last < 0 else len(drawn) - last - 1
    return Revealed("".join(out), tuple(marks))


def reveal_line(text: str) -> Revealed:
    """A line of a file, as `reveal`: what it is indented by is no gap."""
    body = text.lstrip(" \t")
    indent = text[: len(text) - len(body)].expandtabs(TAB)
    if len(indent) > DEEP_INDENT or not body:
        return reveal(text)
    revealed = reveal(body)
    marks = tuple((start + len(indent), end + len(indent)) for start, end in revealed.marks)
    return Revealed(indent + revealed.text, marks)


def shown_line(text: str) -> Revealed:
    """A line of a file that was approved already: `visible`, which leaves emoji and scripts whole."""
    return Revealed(visible(text).expandtabs(TAB))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether each stands for something else."""
    at = 0
    for found in _HIDING.finditer(text):
        yield from _exactly(text[at : found.start()])
        at = found.end()
        match found.lastgroup:
            case "lines":
                yield "\n", False
                yield f"‹{found[0].count(chr(10)) - 1:,} empty lines›", True
                yield "\n", False
            case "gap":
                yield " ", False
                yield f"‹{len(found[0]):,} blanks›", True
                yield " ", False
            case _:
                yield escape(found[0]), True
    yield from _exactly(text[at:])


def _exactly(text: str) -> Iterator[tuple[str, bool]]:
    if is_plain(text):
        yield text, False
        return
    plain = ""
    for character in text:
        symbol = exact(character)
        if symbol == character:
            plain += character
            continue
        yield plain, False
        yield symbol, True
        plain = ""
    yield plain, False


def _untabbed(text: str, column: int) -> str:
    if "\t" not in text:
        return text
    before = column % TAB
    return (" " * before + text).expandtabs(TAB)[before:]
