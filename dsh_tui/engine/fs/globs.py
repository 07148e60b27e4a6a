"""Globs as ripgrep reads them, for machines without it: ``*  ?  [a-z]  {a,b}  **``.

A pattern without a slash matches a name at any depth; with one, the path from the searched
directory. Source: capabilities B3 (pure-Python fallback).
"""

from __future__ import annotations

import re

from dsh_tui.engine.fs.search import SearchError


def glob_regex(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression for relative paths.

    Raises:
        SearchError: brackets or braces don't match.
    """
    anchored = "/" in pattern.rstrip("/")
    body = _translate(pattern.lstrip("/"))
    try:
        return re.compile(body if anchored else f"(?:.*/)?{body}", re.DOTALL)
    except re.error as error:
        raise SearchError(f"The glob {pattern!r} is not valid: {error}.") from error


def _translate(pattern: str) -> str:
    parts: list[str] = []
    depth = position = 0
    while position < len(pattern):
        char = pattern[position]
        if pattern.startswith("**/", position):
            parts.append("(?:.*/)?")
            position += 3
            continue
        if pattern.startswith("**", position):
            parts.append(".*")
            position += 2
            continue
        if char == "[":
            piece, position = _bracket(pattern, position)
            parts.append(piece)
            continue
        if char == "\\" and position + 1 < len(pattern):
            position += 1
            parts.append(re.escape(pattern[position]))
        elif char == "{":
            depth += 1
            parts.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            parts.append(")")
        elif char == "," and depth:
            parts.append("|")
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        position += 1
    return "".join(parts)


def _bracket(pattern: str, start: int) -> tuple[str, int]:
    end = pattern.find("]", start + 2)
    if end < 0:
        raise SearchError(f"The glob {pattern!r} is not valid: a [ is not closed.")
    inside = pattern[start + 1 : end].replace("\\", "\\\\")
    if inside[0] in "!^":
        inside = "^" + inside[1:]
    return f"[{inside}]", end + 1
