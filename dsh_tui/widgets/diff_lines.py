"""The lines of a diff before they are laid out: numbers, syntax colours, the words that changed.

Colours and words are made for the lines that somebody looks at, when they do.
Source: screens spec (diffs).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from dsh_tui.engine.projection.views import DiffHunk
from dsh_tui.widgets.code_colours import CodeColours
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.reveal import Revealed, Span

COLOURED_AT_ONCE = 500
"""Lines. Who jumps into the middle of a longer hunk gets colours that begin there."""
_WORD = re.compile(r"\d+(?:\.\d+)+|\w+|\s+|[^\w\s]")
_LONGEST = 400  # characters of a line in which changed words are looked for
_COMPARED = 120  # pairs of lines in one change; beyond, lines are paired in order
_ALIKE = 0.4  # below this two lines share too little for word marks to help

Shown = Callable[[str], Revealed]


class DiffLine(NamedTuple):
    """One line. ``old`` and ``new`` are its numbers; ``sign`` is ``' '``, ``'-'`` or ``'+'``."""

    at: int
    sign: str
    old: int
    new: int
    text: str
    marks: tuple[Span, ...]


class HunkLines:
    """The lines of a hunk, coloured on demand."""

    def __init__(self, hunk: DiffHunk, language: str, palette: Palette, shown: Shown) -> None:
        self._language, self._palette = language, palette
        self._grounds = {"-": palette.removed, "+": palette.added}
        self._words = {
            "-": palette.text + palette.removed_word,
            "+": palette.text + palette.added_word,
        }
        self.lines: list[DiffLine] = []
        old, new = hunk.old_start, hunk.new_start
        raw_lines = [line.removesuffix("\n") for line in hunk.lines]
        if all(raw.endswith("\r") for raw in raw_lines):  # otherwise it is a difference
            raw_lines = [raw[:-1] for raw in raw_lines]
        for at, raw in enumerate(raw_lines):
            sign = raw[:1] if raw[:1] in self._grounds else " "
            text, marks = shown(raw[1:])
            self.lines.append(DiffLine(at, sign, old, new, text, marks))
            old += sign != "+"
            new += sign != "-"
        self.partners = _partners(self.lines)
        """Lines that went and lines that came in their place, both ways."""
        self._changes: dict[int, list[Span]] = {}
        self._coloured: dict[int, list[list[Segment]]] = {}
        self._ends: dict[int, tuple[CodeColours, CodeColours]] = {}

    def ground(self, line: DiffLine) -> Style:
        """What a line stands on."""
        return self._grounds.get(line.sign, Style.null())

    def spans(self, line: DiffLine) -> list[Segment]:
        """A line in its colours, its changed words and what was hidden in it marked."""
        chunk, offset = divmod(line.at, COLOURED_AT_ONCE)
        if chunk not in self._coloured:
            self._coloured[chunk] = self._colour(chunk)
        spans = self._coloured[chunk][offset]
        if line.sign != " ":
            ground = self._grounds[line.sign]
            spans = [Segment(text, (style or Style.null()) + ground) for text, style, _ in spans]
            spans = overlaid(spans, self._changed(line), self._words[line.sign])
        return overlaid(spans, line.marks, self._palette.hidden)

    def _colour(self, chunk: int) -> list[list[Segment]]:
        """A stretch of lines; it goes on where the one before it ended, if that was looked at."""
        fresh = CodeColours(self._language, self._palette), CodeColours(self._language, self._palette)
        before, after = self._ends.pop(chunk - 1, fresh)
        coloured = []
        for line in self.lines[chunk * COLOURED_AT_ONCE : (chunk + 1) * COLOURED_AT_ONCE]:
            if line.sign != "+":
                spans = before.line(line.text)
            if line.sign != "-":
                spans = after.line(line.text)
            coloured.append(spans)
        self._ends[chunk] = before, after
        return coloured

    def _changed(self, line: DiffLine) -> list[Span]:
        partner = self.partners.get(line.at)
        if partner is None:
            return []
        if line.at not in self._changes:
            old, new = sorted((line.at, partner))  # what went stands before what came
            self._changes[old], self._changes[new] = _changed_words(
                self.lines[old].text, self.lines[new].text
            )
        return self._changes[line.at]


def overlaid(spans: list[Segment], ranges: Iterable[Span], look: Style) -> list[Segment]:
    """Spans with another look on some ranges of their text."""
    ranges = list(ranges)
    if not ranges:
        return spans
    edges = sorted({edge for span in ranges for edge in span})
    out: list[Segment] = []
    at = 0
    for text, style, _ in spans:
        own = style or Style.null()
        cuts = [0, *[edge - at for edge in edges if 0 < edge - at < len(text)], len(text)]
        for start, end in pairwise(cuts):
            inside = any(first <= at + start < last for first, last in ranges)
            out.append(Segment(text[start:end], own + look if inside else own))
        at += len(text)
    return [span for span in out if span.text]


def _partners(lines: list[DiffLine]) -> dict[int, int]:
    """Which line that went belongs to which that came: in order, and where they are not as many, alike."""
    found: dict[int, int] = {}
    at = 0
    while at < len(lines):
        if lines[at].sign != "-":
            at += 1
            continue
        start = at
        while at < len(lines) and lines[at].sign == "-":
            at += 1
        middle = at
        while at < len(lines) and lines[at].sign == "+":
            at += 1
        old, new = range(start, middle), range(middle, at)
        if len(old) == len(new) or len(old) * len(new) > _COMPARED:
            pairs = list(zip(old, new, strict=False))
        else:
            pairs = _alike_pairs(lines, old, new)
        for one, other in pairs:
            found[one], found[other] = other, one
    return found


def _alike_pairs(lines: list[DiffLine], old: range, new: range) -> list[tuple[int, int]]:
    """The pairs, in order on both sides, that have the most words in common."""
    words = {at: set(_WORD.findall(lines[at].text)) - {" "} for at in (*old, *new)}
    best: list[list[tuple[float, list[tuple[int, int]]]]] = [[(0.0, [])] * (len(new) + 1)]
    for one in old:
        row: list[tuple[float, list[tuple[int, int]]]] = [(0.0, [])]
        for column, other in enumerate(new):
            common = len(words[one] & words[other]) / max(1, len(words[one] | words[other]))
            score, pairs = best[-1][column]
            paired = (score + common, [*pairs, (one, other)]) if common >= _ALIKE else (0.0, [])
            row.append(max(best[-1][column + 1], row[-1], paired, key=lambda choice: choice[0]))
        best.append(row)
    return best[-1][-1][1]


def _changed_words(old: str, new: str) -> tuple[list[Span], list[Span]]:
    if max(len(old), len(new)) > _LONGEST:
        return [], []
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [], []
    removed: list[Span] = []
    added: list[Span] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            _note(removed, before, i1, i2)
            _note(added, after, j1, j2)
    return removed, added


def _note(into: list[Span], words: list[str], first: int, last: int) -> None:
    if last > first:
        start = sum(map(len, words[:first]))
        into.append((start, start + sum(map(len, words[first:last]))))
