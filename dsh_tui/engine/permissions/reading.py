"""The reading of a command line that rules rely on: two readers that must agree.

`reader` follows bash by hand, `grammar` is tree-sitter's. Only where both find the same words in
the same places is a line understood; each alone errs in corners, and the corners differ.
Source: design §3.15.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Final

from dsh_tui.engine.permissions import grammar
from dsh_tui.engine.permissions.command_line import CommandLine, SimpleCommand
from dsh_tui.engine.permissions.reader import Reader

LONGEST: Final = 30_000
"""Characters. Longer lines are scripts that nobody reads in a dialog either."""
LONGEST_BROKEN: Final = 8_000
"""Bytes of a line in doubt that the grammar reads: its time can grow with the square of them."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@lru_cache(maxsize=256)
def read(text: str) -> CommandLine:
    """What ``text`` would run. Never raises; what is not certain is a doubt."""
    if not text.strip():
        return CommandLine(doubt="it is empty")
    if len(text) > LONGEST:
        return CommandLine(doubt=f"it has more than {LONGEST:,} characters")
    if _CONTROL.search(text):
        return replace(_read(_CONTROL.sub(" ", text)), doubt="it has control characters")
    return _read(text)


def _read(text: str) -> CommandLine:
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return CommandLine(doubt="it has characters that can't be encoded")
    reader = Reader(text)
    line = reader.read()
    doubt = line.doubt
    parsed = grammar.parse(source[:LONGEST_BROKEN] if doubt else source)
    if doubt:
        doubt = f"it has {doubt}"
    elif parsed.broken:
        doubt = "it can't be parsed"
    elif not _agree(text, reader, parsed):
        doubt = "it can be read in more than one way"
    if not doubt:
        return line
    return replace(line, commands=_both(line.commands, parsed.commands), doubt=doubt)


def _agree(text: str, reader: Reader, parsed: grammar.Parse) -> bool:
    """True if both found names and other words in the same places."""
    offsets = range(len(text) + 1) if text.isascii() else [0, *accumulate(len(c.encode()) for c in text)]

    def in_bytes(places: set[grammar.Span]) -> set[grammar.Span]:
        return {(offsets[start], offsets[end]) for start, end in places}

    return in_bytes(reader.names) == parsed.names and in_bytes(reader.others) == parsed.others


def _both(first: tuple[SimpleCommand, ...], second: tuple[SimpleCommand, ...]) -> tuple[SimpleCommand, ...]:
    return tuple(dict.fromkeys((*first, *second)))
