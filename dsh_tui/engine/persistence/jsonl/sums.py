"""Sums: a checksum at the end of each line, so that a byte changed on disk or by hand is found.

A deleted letter leaves a row that parses, and would put words into somebody's mouth for good. The header
says with ``sums`` that every line has one, so that a lost sum is found too; logs without that mark are
older, and their rows may do without. What counts is the text that was summed and not its spelling: a log
that another program wrote out anew, word for word, is whole. Source: core spec §9; design §4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias
from zlib import crc32

from dsh_tui.engine.base.lossless import dump_bytes

SUM: Final = "sum"
MARK: Final = "sums"
"""The field of a header that says which sums its log has."""
_KIND: Final = "crc32"
_OPEN, _CLOSE = b',"sum":"', b'"}'
_WIDTH = len(_OPEN) + 8 + len(_CLOSE)

_SEQ = re.compile(rb'"seq":\s*(\d{1,15})\b')

SumState: TypeAlias = Literal["whole", "changed", "missing"]


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line that is not what was written. ``line`` counts from 1; ``seq`` is None where it can't be read."""

    line: int
    seq: int | None
    unsummed: bool
    """It has no sum, where all have one: nobody can say whether it is what was written."""


def summed(row: bytes) -> bytes:
    """The row with its sum as last field. The row is a JSON object that is not empty."""
    return b"%b%b%08x%b" % (row[:-1], _OPEN, crc32(row), _CLOSE)


def marked(header: bytes) -> bytes:
    """The header with the mark and its sum as last fields."""
    return summed(b'%b,"%b":"%b"}' % (header[:-1], MARK.encode(), _KIND.encode()))


def without_sums(header: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
    """The header as it was given."""
    return {name: value for name, value in header.items() if name not in (SUM, MARK)}


def changed_lines(lines: Sequence[bytes]) -> Iterator[ChangedLine]:
    """Lines of a log, from its header on, that are not what was summed. Blank ones pass."""
    needed = bool(lines) and _is_marked(lines[0])
    for number, line in enumerate(lines, start=1):
        if is_summed(line) or not line.strip():
            continue
        state = _state(line)
        if state == "changed" or (needed and state == "missing"):
            yield ChangedLine(number, _seq(line), unsummed=state == "missing")


def is_summed(line: bytes) -> bool:
    """Whether the line has a sum, and is byte for byte what was summed."""
    tail = line[-_WIDTH:]
    return (
        tail.startswith(_OPEN)
        and tail.endswith(_CLOSE)
        and b"%08x" % crc32(line[:-_WIDTH] + b"}") == tail[len(_OPEN) : -len(_CLOSE)]
    )


def is_changed(line: bytes) -> bool:
    """Whether the line has a sum, and is not what was summed."""
    return not is_summed(line) and _state(line) == "changed"


def _state(line: bytes) -> SumState:
    if b'"sum"' not in line:
        return "missing"
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return "changed"
    if not isinstance(fields, dict) or SUM not in fields:
        return "missing"
    given = fields.pop(SUM)
    try:
        same = given == f"{crc32(dump_bytes(fields)):08x}"
    except ValueError:  # a number that is none
        same = False
    return "whole" if same else "changed"


def _is_marked(header: bytes) -> bool:
    """Whether it says that each line has a sum; one that only has its own says so too."""
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and (MARK in fields or SUM in fields)


def _seq(line: bytes) -> int | None:
    try:
        seq = json.loads(line)["seq"]
    except (ValueError, KeyError, TypeError, RecursionError):
        found = _SEQ.search(line)  # the row does not parse any more, and may still say which it is
        return int(found[1]) if found else None
    return seq if type(seq) is int else None
