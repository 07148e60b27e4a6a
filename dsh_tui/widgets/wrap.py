"""Wrapping of styled text to a width in cells: at spaces, between wide characters, else anywhere.

Nothing is lost: the rows' texts with their joints between them are the text again; what is to be
approved is folded, which leaves nothing to joints.
Source: cases of wide characters; screens spec (prose wraps at 100 columns).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment

from dsh_tui.widgets.row import Row

_NOT_FIRST = frozenset("，。、；：？！）】》」』”’〉〕…—·,.;:?!)]}%")
_NOT_LAST = frozenset("（【《「『“‘〈〔([{")
WIDE = 2

Grapheme: TypeAlias = tuple[int, int, int]
"""Start, end, cells."""


def wrap(spans: Sequence[Segment], width: int) -> list[Row]:
    """Rows of at most ``width`` cells. The text holds no line feeds; empty text is one empty row."""
    width = max(1, width)
    text = spans[0].text if len(spans) == 1 else "".join([span.text for span in spans])
    if text.isascii():
        if len(text) <= width:
            return [Row(spans, len(text))]
        cuts = _ascii_cuts(text, width)
    else:
        cells = cell_len(text)
        if cells <= width:
            return [Row(spans, cells)]
        cuts = _cuts(text, width)
    return list(_sliced(spans, text, cuts))


def fold(spans: Sequence[Segment], width: int) -> list[Row]:
    """As `wrap`, but every character is drawn: a blank at a row's end stands there, and is not left out."""
    text = "".join([span.text for span in spans])
    width = max(1, width)
    if text.isascii() and len(text) <= width:
        return [Row(spans, len(text))]
    return list(_sliced(spans, text, _folds(text, width)))


def folded(text: str, width: int) -> int:
    """How many rows `fold` makes."""
    width = max(1, width)
    return 1 if text.isascii() and len(text) <= width else len(_folds(text, width))


def _ascii_cuts(text: str, width: int) -> list[tuple[int, int, int, int]]:
    """(start, end, next start, cells) of each row."""
    cuts = []
    start, length = 0, len(text)
    while length - start > width:
        space = text.rfind(" ", start, start + width + 1)
        if space <= start:
            cuts.append((start, start + width, start + width, width))
            start += width
            continue
        end = space
        while end > start and text[end - 1] == " ":
            end -= 1
        following = space + 1
        while following < length and text[following] == " ":
            following += 1
        if end == start:  # indentation wider than the row stays what it is
            cuts.append((start, start + width, start + width, width))
            start += width
            continue
        cuts.append((start, end, following, end - start))
        start = following
    if start < length or not cuts:
        cuts.append((start, length, length, length - start))
    return cuts


def _cuts(text: str, width: int) -> list[tuple[int, int, int, int]]:
    cuts: list[tuple[int, int, int, int]] = []
    graphemes, _ = split_graphemes(text)
    start = at = 0  # indexes of graphemes
    used = 0  # cells from start to at
    chance = -1  # grapheme before which a row may end
    while at < len(graphemes):
        cells = graphemes[at][2]
        if at > start and _may_break(text, graphemes[at], graphemes[at - 1]):
            chance = at
        if used + cells > width and at > start:
            stop = chance if chance > start and not _is_space(text, graphemes[at]) else at
            following = stop
            while following < len(graphemes) and _is_space(text, graphemes[following]):
                following += 1
            while stop > start + 1 and _is_space(text, graphemes[stop - 1]):
                stop -= 1
            end = graphemes[stop][0] if stop < len(graphemes) else len(text)
            next_start = graphemes[following][0] if following < len(graphemes) else len(text)
            cuts.append((graphemes[start][0], end, next_start, cell_len(text[graphemes[start][0] : end])))
            start = at = following
            used, chance = 0, -1
            continue
        used += cells
        at += 1
    if start < len(graphemes):
        first = graphemes[start][0]
        cuts.append((first, len(text), len(text), cell_len(text[first:])))
    return cuts


def _folds(text: str, width: int) -> list[tuple[int, int, int, int]]:
    """(start, end, end, cells) of each row: broken behind a blank, if one stands in its right half."""
    graphemes = [(at, at + 1, 1) for at in range(len(text))] if text.isascii() else split_graphemes(text)[0]
    folds: list[tuple[int, int, int, int]] = []
    start = at = used = 0
    chance = -1
    while at < len(graphemes):
        cells = graphemes[at][2]
        if used + cells > width and at > start:
            stop = chance if chance > start else at
            left, right = graphemes[start][0], graphemes[stop][0]
            folds.append((left, right, right, sum(one[2] for one in graphemes[start:stop])))
            start = at = stop
            used, chance = 0, -1
            continue
        used += cells
        at += 1
        if _is_space(text, graphemes[at - 1]) and used * 2 > width:
            chance = at
    if start < len(graphemes) or not folds:
        left = graphemes[start][0] if graphemes else 0
        folds.append((left, len(text), len(text), sum(one[2] for one in graphemes[start:])))
    return folds


def _is_space(text: str, grapheme: Grapheme) -> bool:
    """Whether nothing but a space is there; one that carries an accent is a sign to keep."""
    left, right, _ = grapheme
    return right - left == 1 and text[left] == " "


def _may_break(text: str, here: Grapheme, before: Grapheme) -> bool:
    """Whether a row may end between two graphemes."""
    if _is_space(text, before):
        return not _is_space(text, here)
    if _is_space(text, here) or text[here[0]] in _NOT_FIRST or text[before[0]] in _NOT_LAST:
        return False
    return here[2] == WIDE or before[2] == WIDE


def _sliced(spans: Sequence[Segment], text: str, cuts: Sequence[tuple[int, int, int, int]]) -> Iterator[Row]:
    if len(spans) == 1:
        style = spans[0].style
        for start, end, following, cells in cuts:
            yield Row((Segment(text[start:end], style),), cells, 0, _joint(text, end, following))
        return
    which = offset = 0  # the span and where it starts
    for start, end, following, cells in cuts:
        row: list[Segment] = []
        while which < len(spans) and offset + len(spans[which].text) <= start:
            offset += len(spans[which].text)
            which += 1
        index, begin = which, offset
        while index < len(spans) and begin < end:
            piece = spans[index].text[max(0, start - begin) : end - begin]
            if piece:
                row.append(Segment(piece, spans[index].style))
            begin += len(spans[index].text)
            index += 1
        yield Row(row, cells, 0, _joint(text, end, following))


def _joint(text: str, end: int, following: int) -> str:
    return "\n" if following >= len(text) else text[end:following]
