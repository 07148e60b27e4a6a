"""What a terminal shows: bytes in, the text of rows out. pyte does it; this asks little of it.

A piece of bytes may end inside an escape sequence or a character: the rest is kept for the next.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

import pyte

ROWS, COLUMNS = 40, 120

_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_X].*?(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\`-~=>])", re.DOTALL
)
_FOREIGN = re.compile(r"\x1b(?:\[[<=>?][0-9;]*[ -/]*[a-gi-zA-Z]|\[[0-9;]*[tux]|[\]P^_X]).*", re.DOTALL)
"""Sequences that pyte would print or stumble over; none of them changes what is shown."""


class Display:
    """A screen of `ROWS` x `COLUMNS` cells."""

    def __init__(self) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.Stream(self._screen)
        self._decode: Callable[[bytes], str] = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""

    def feed(self, data: bytes) -> None:
        """Show more."""
        text = self._rest + self._decode(data)
        out: list[str] = []
        at = 0
        while (escape := text.find("\x1b", at)) >= 0:
            out.append(text[at:escape])
            match = _SEQUENCE.match(text, escape)
            if match is None:
                break
            if not _FOREIGN.fullmatch(match[0]):
                out.append(match[0])
            at = match.end()
        else:
            escape = len(text)
            out.append(text[at:])
        self._rest = text[escape:]
        self._stream.feed("".join(out))

    def changed(self) -> str:
        """The rows that changed since the last call."""
        rows = sorted(row for row in self._screen.dirty if row < ROWS)
        self._screen.dirty.clear()
        return "\n".join(map(self._row, rows))

    def text(self) -> str:
        """All rows."""
        return "\n".join(self._row(row).rstrip() for row in range(ROWS))

    def _row(self, row: int) -> str:
        cells = self._screen.buffer[row]
        return "".join(cells[column].data for column in range(COLUMNS))
