"""Diffs: the change of one file as hunks of lines. Pure, and bounded in time for any input.

The same hunks are shown before approval and logged after. Lines end at ``\\n`` only. What both
texts share at their start and end is never compared line by line, and a middle that is too
large to align is shown as one block replaced by the other: complete, only less clever.
Source: contract of ``tool/result.meta``; design §3.12.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.base.frozen import FrozenDict, freeze

CONTEXT: Final = 3
_MAX_ALIGNED: Final = 4_000_000
"""Pairs of lines that difflib may be asked to compare: it is quadratic at worst."""

Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines with their leading ``' '``, ``'-'`` or ``'+'``; starts are 1-based."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """All changes between two texts."""

    added: int
    removed: int
    hunks: tuple[Hunk, ...]

    def to_json(self, path: str, *, created: bool = False, limit: int | None = None) -> FrozenDict:
        """The presentation form. At most ``limit`` lines of hunks; ``cut`` then counts the rest."""
        hunks: list[dict[str, object]] = []
        room, cut = limit, 0
        for hunk in self.hunks:
            lines = hunk.lines if room is None else hunk.lines[:room]
            cut += len(hunk.lines) - len(lines)
            if room is not None:
                room -= len(lines)
            if lines:
                hunks.append({"oldStart": hunk.old_start, "newStart": hunk.new_start, "lines": lines})
        value: dict[str, object] = {
            "path": path,
            "added": self.added,
            "removed": self.removed,
            "hunks": hunks,
        }
        if created:
            value["created"] = True
        if cut:
            value["cut"] = cut
        frozen = freeze(value)
        assert isinstance(frozen, FrozenDict)
        return frozen


def diff_texts(old: str, new: str) -> Diff:
    """The change from ``old`` to ``new``. Differences of line ends alone show as changed lines."""
    plain_old, plain_new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if plain_old != plain_new:
        old, new = plain_old, plain_new
    before, after = _split(old), _split(new)
    groups = _grouped(_opcodes(before, after))
    hunks = tuple(_hunk(group, before, after) for group in groups)
    added = sum(line.startswith("+") for hunk in hunks for line in hunk.lines)
    removed = sum(line.startswith("-") for hunk in hunks for line in hunk.lines)
    return Diff(added, removed, hunks)


def _split(text: str) -> list[str]:
    """Lines with their ends, so that a missing last line end is a difference."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _opcodes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    shortest = min(len(before), len(after))
    start = 0
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old_end, new_end = len(before) - end, len(after) - end
    middle = _middle(before[start:old_end], after[start:new_end])
    shifted = [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in middle]
    head: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    tail: list[Opcode] = [("equal", old_end, len(before), new_end, len(after))] if end else []
    return [*head, *shifted, *tail]


def _middle(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    if not before and not after:
        return []
    if not before or not after or len(before) * len(after) > _MAX_ALIGNED:
        return [("replace", 0, len(before), 0, len(after))]
    return [*difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()]


def _grouped(opcodes: list[Opcode]) -> list[list[Opcode]]:
    """Opcodes with at most `CONTEXT` equal lines at either side, split where more lie between."""
    groups: list[list[Opcode]] = []
    current: list[Opcode] = []
    for position, (tag, a, b, c, d) in enumerate(opcodes):
        if tag != "equal":
            current.append((tag, a, b, c, d))
            continue
        first, last = position == 0, position == len(opcodes) - 1
        if first:
            keep = min(CONTEXT, b - a)
            current.append((tag, b - keep, b, d - keep, d))
        elif last or b - a > 2 * CONTEXT:
            keep = min(CONTEXT, b - a)
            current.append((tag, a, a + keep, c, c + keep))
            groups.append(current)
            current = [] if last else [(tag, b - CONTEXT, b, d - CONTEXT, d)]
        else:
            current.append((tag, a, b, c, d))
    if any(tag != "equal" for tag, *_ in current):
        groups.append(current)
    return [group for group in groups if any(tag != "equal" for tag, *_ in group)]


def _hunk(group: Sequence[Opcode], before: Sequence[str], after: Sequence[str]) -> Hunk:
    lines: list[str] = []
    for tag, a, b, c, d in group:
        if tag == "equal":
            lines += (f" {_bare(line)}" for line in before[a:b])
            continue
        lines += (f"-{_bare(line)}" for line in before[a:b])
        lines += (f"+{_bare(line)}" for line in after[c:d])
    return Hunk(group[0][1] + 1, group[0][3] + 1, tuple(lines))


def _bare(line: str) -> str:
    return line.removesuffix("\n")
