"""Tool arguments while they stream: the members of a JSON object as far as they have come.

Never raises. A string that is cut in the middle counts with what is there; any other
value counts only once it is whole. Lazy, so that a caller who wants the first member
of a large object does not pay for the rest. Source: capabilities A1 (raw arguments).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_decode = json.JSONDecoder(strict=False).raw_decode
_BLANK = re.compile(r"[ \t\r\n]*")
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def members(text: str) -> Iterator[tuple[str, object]]:
    """Key and value pairs in order of appearance; ends where the text stops being JSON."""
    position = _skip(text, 0)
    if not text.startswith("{", position):
        return
    position += 1
    while True:
        position = _skip(text, position)
        if not text.startswith('"', position):
            return
        try:
            key, position = _decode(text, position)
        except ValueError:
            return
        position = _skip(text, position)
        if not text.startswith(":", position):
            return
        position = _skip(text, position + 1)
        try:
            value, position = _decode(text, position)
        except (ValueError, RecursionError):
            if text.startswith('"', position):
                yield key, _cut_string(text[position + 1 :])
            return
        if isinstance(value, (int, float)) and position == len(text):
            return  # more digits may follow
        yield key, value
        position = _skip(text, position)
        if not text.startswith(",", position):
            return
        position += 1


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return position if match is None else match.end()


def _cut_string(raw: str) -> str:
    """The readable part of a string literal without its end."""
    trailing = len(raw) - len(raw.rstrip("\\"))
    if trailing % 2 == 1:
        raw = raw[:-1]
    elif (cut := _CUT_ESCAPE.search(raw)) is not None and not _is_escaped(raw, cut.start()):
        raw = raw[: cut.start()]
    try:
        value = json.loads(f'"{raw}"', strict=False)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _is_escaped(raw: str, position: int) -> bool:
    before = raw[:position]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
