"""Sums: a checksum at the end of each row, so that a byte changed on disk or by hand is found.

A deleted letter leaves a row that parses, and would put words into somebody's mouth for good. Readers do
not look at sums: a row that parses is shown. `sessions verify` does. Source: core spec §9; design §4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

_OPEN, _CLOSE = b',"sum":"', b'"}'
_WIDTH = len(_OPEN) + 8 + len(_CLOSE)

_SEQ = re.compile(rb'"seq":(\d{1,15})\b')


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row that is not what was written. ``line`` counts from 1; ``seq`` is None where it can't be read."""

    line: int
    seq: int | None


def summed(row: bytes) -> bytes:
    """The row with its sum as last field. The row is a JSON object that is not empty."""
    return b"%b%b%08x%b" % (row[:-1], _OPEN, crc32(row), _CLOSE)


def changed_rows(data: bytes) -> Iterator[ChangedRow]:
    """Rows of a log file whose bytes are not those that were summed; rows without a sum pass."""
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].split(b"\n"), start=1):
        if _is_changed(line):
            yield ChangedRow(number, _seq(line))


def is_summed(line: bytes) -> bool:
    """Whether the row has a sum, and is what was summed."""
    return _is_sum(line[-_WIDTH:]) and not _is_changed(line)


def _is_changed(line: bytes) -> bool:
    tail = line[-_WIDTH:]
    if not _is_sum(tail):
        return b'"sum"' in line[-2 * _WIDTH :] and _has_sum(line)  # the sum itself is not whole
    return b"%08x" % crc32(line[:-_WIDTH] + b"}") != tail[len(_OPEN) : -len(_CLOSE)]


def _is_sum(tail: bytes) -> bool:
    return tail.startswith(_OPEN) and tail.endswith(_CLOSE)


def _has_sum(line: bytes) -> bool:
    try:
        return "sum" in json.loads(line)
    except ValueError:
        return True


def _seq(line: bytes) -> int | None:
    try:
        seq = json.loads(line)["seq"]
    except (ValueError, KeyError, TypeError):  # the row may not parse any more, and still say which it is
        found = _SEQ.search(line)
        return int(found[1]) if found else None
    return seq if type(seq) is int else None
