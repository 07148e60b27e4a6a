"""A diff: line numbers, signs, the words that changed. View to rows, pure.

Source: screens spec (diffs).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from rich.segment import Segment
from rich.style import Style

from dsh_tui.engine.projection.views import DiffHunk, DiffView
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, row
from dsh_tui.widgets.visible_text import TAB, visible
from dsh_tui.widgets.wrap import wrap

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 400  # characters of a line in which changed words are looked for
_ALIKE = 0.4  # below this two lines share too little for word marks to help
Change = list[tuple[int, int]]


def render(view: DiffView, width: int, palette: Palette) -> list[Row]:
    """All hunks; between them a quiet mark."""
    rows: list[Row] = []
    last = max((hunk.new_start + len(hunk.lines) for hunk in view.hunks), default=1)
    digits = max(3, len(str(last)))
    for hunk in view.hunks:
        if rows:
            rows.append(row((" " * digits + " ⋯", palette.faint), copied=""))
        for number, sign, text, changed in _numbered(hunk):
            rows.extend(_line(f"{number:>{digits}} ", sign, text, changed, width, palette))
    return rows


def _line(number: str, sign: str, text: str, changed: Change, width: int, palette: Palette) -> list[Row]:
    ground, word = {
        "-": (palette.removed, palette.removed_word),
        "+": (palette.added, palette.added_word),
    }.get(sign, (Style.null(), Style.null()))
    style = palette.text + ground if sign != " " else palette.dim
    spans: list[Segment] = []
    at = 0
    for start, end in changed:
        spans.append(Segment(text[at:start], style))
        spans.append(Segment(text[start:end], style + word))
        at = end
    spans.append(Segment(text[at:], style))
    mark = {"-": "− ", "+": "+ "}.get(sign, "  ")
    gutter = len(number) + 2
    room = max(1, width - gutter)
    out: list[Row] = []
    for each in wrap([span for span in spans if span.text] or [Segment("", style)], room):
        fill = Segment(" " * (room - each.cells), ground) if sign != " " else Segment("")
        segments = [Segment(number, palette.faint), Segment(mark, style), *each.segments, fill]
        content = "".join([segment.text for segment in each.segments])
        copied = content if out else f"{sign}{content}"
        out.append(Row(segments, gutter + each.cells + len(fill.text), gutter, each.joint, copied))
        number, mark = " " * len(number), "  "
    return out


def _numbered(hunk: DiffHunk) -> Iterator[tuple[int, str, str, Change]]:
    """Number, sign, text and changed words of each line."""
    old, new = hunk.old_start, hunk.new_start
    lines = [(line[:1] or " ", visible(line[1:].rstrip("\r\n")).expandtabs(TAB)) for line in hunk.lines]
    changes = _changes(lines)
    for index, (sign, text) in enumerate(lines):
        number = old if sign == "-" else new
        yield number, sign, text, changes.get(index, [])
        old += sign != "+"
        new += sign != "-"


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
