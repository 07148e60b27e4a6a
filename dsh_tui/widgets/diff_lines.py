"""The lines of a diff before they are laid out: numbers, syntax colours, the words that changed.

Source: screens spec (diffs).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.projection.views import DiffHunk, DiffView
from dsh_tui.widgets.code_colours import CodeColours, language_of
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.visible_text import TAB

COLOURED_LINES = 600
"""Beyond so many lines a diff is drawn without syntax colours: it must open at once."""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 400  # characters of a line in which changed words are looked for
_ALIKE = 0.4  # below this two lines share too little for word marks to help
Change = list[tuple[int, int]]


class DiffLine(NamedTuple):
    """One line. ``old`` and ``new`` are its numbers; ``sign`` is ``' '``, ``'-'`` or ``'+'``."""

    sign: str
    old: int
    new: int
    spans: list[Segment]


def diff_lines(view: DiffView, palette: Palette) -> list[list[DiffLine]]:
    """The lines of each hunk."""
    size = sum(len(hunk.lines) for hunk in view.hunks)
    language = language_of(view.path) if size <= COLOURED_LINES else ""
    return [list(_lines(hunk, language, palette)) for hunk in view.hunks]


def _lines(hunk: DiffHunk, language: str, palette: Palette) -> Iterator[DiffLine]:
    old, new = hunk.old_start, hunk.new_start
    lines = [(line[:1] or " ", visible(line[1:].rstrip("\r\n")).expandtabs(TAB)) for line in hunk.lines]
    changes = _changes(lines)
    before, after = CodeColours(language, palette), CodeColours(language, palette)
    grounds = {
        "-": (palette.removed, palette.removed_word),
        "+": (palette.added, palette.added_word),
    }
    for index, (sign, text) in enumerate(lines):
        spans = before.line(text) if sign == "-" else after.line(text)
        if sign == " ":
            before.line(text)
        else:
            spans = _grounded(spans, changes.get(index, []), *grounds.get(sign, (palette.text, palette.text)))
        yield DiffLine(sign, old, new, spans)
        old += sign != "+"
        new += sign != "-"


def _grounded(spans: list[Segment], changed: Change, ground: Style, word: Style) -> list[Segment]:
    """Spans on a ground, on another one where the words changed."""
    edges = sorted({edge for span in changed for edge in span})
    out: list[Segment] = []
    at = 0
    for text, style, _ in spans:
        own = style or Style.null()
        cuts = [0, *[edge - at for edge in edges if 0 < edge - at < len(text)], len(text)]
        for start, end in pairwise(cuts):
            inside = any(first <= at + start < last for first, last in changed)
            out.append(Segment(text[start:end], own + (word if inside else ground)))
        at += len(text)
    return [span for span in out if span.text]


def _changes(lines: list[tuple[str, str]]) -> dict[int, Change]:
    """Changed words where so many lines went as came, paired in order."""
    found: dict[int, Change] = {}
    at = 0
    while at < len(lines):
        if lines[at][0] != "-":
            at += 1
            continue
        start = at
        while at < len(lines) and lines[at][0] == "-":
            at += 1
        middle = at
        while at < len(lines) and lines[at][0] == "+":
            at += 1
        if middle - start == at - middle:
            for offset in range(middle - start):
                pair = _changed_words(lines[start + offset][1], lines[middle + offset][1])
                found[start + offset], found[middle + offset] = pair
    return found


def _changed_words(old: str, new: str) -> tuple[Change, Change]:
    if max(len(old), len(new)) > _LONGEST:
        return [], []
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [], []
    removed: Change = []
    added: Change = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            _note(removed, before, i1, i2)
            _note(added, after, j1, j2)
    return removed, added


def _note(into: Change, words: list[str], first: int, last: int) -> None:
    if last > first:
        start = sum(map(len, words[:first]))
        into.append((start, start + sum(map(len, words[first:last]))))
