"""Finding and replacing text in a file, literally. Pure.

The only latitude is the line end: a model's ``\\n`` matches the file's ``\\r\\n`` and the other
way round, and new lines take the ends of the place they go to. Everything outside a match
keeps its bytes. Source: capabilities B3 (edit).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from dsh_tui.engine.fs.errors import AMBIGUOUS_EDIT, EDIT_NOT_FOUND, INVALID_EDIT, FsError
from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.fs.text import line_end, with_line_end

Span = tuple[int, int]


def replace_text(text: str, old: str, new: str, path: Path, *, every: bool) -> tuple[str, int]:
    """The text after the edit, and how many places it changed.

    Raises:
        FsError: nothing matches, more than one place does, or there is nothing to change.
    """
    shown = show_path(path)
    if not old:
        raise FsError(
            "old_string is an empty search text. To create or replace a whole file, use `write`.",
            code=INVALID_EDIT,
        )
    old, new = with_line_end(old, "\n"), with_line_end(new, "\n")
    if old == new:
        raise FsError("old_string and new_string are equal: there is nothing to change.", code=INVALID_EDIT)
    spans = list(_spans(text, old, overlapping=not every))
    if not spans:
        raise FsError(f"old_string was not found in {shown}. {_hint(text, old)}", code=EDIT_NOT_FOUND)
    if len(spans) > 1 and not every:
        lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in spans[:5])
        more = ", …" if len(spans) > 5 else ""
        raise FsError(
            f"old_string has {len(spans)} matches in {shown} (lines {lines}{more}). Add surrounding lines to "
            "make it unique, or set replace_all to change every one.",
            code=AMBIGUOUS_EDIT,
        )
    default = line_end(text) or "\n"
    parts: list[str] = []
    position = 0
    for start, end in spans:
        region = text[start:end]
        mixed = "\r\n" in region and region.count("\n") != region.count("\r\n")
        own = default if mixed else line_end(region) or default
        parts += (text[position:start], with_line_end(new, own))
        position = end
    return "".join((*parts, text[position:])), len(spans)


def _spans(text: str, old: str, *, overlapping: bool) -> Iterator[Span]:
    if "\n" in old and "\r\n" in text:
        pattern = re.compile("\r?\n".join(map(re.escape, old.split("\n"))))
        found = pattern.search(text)
        while found is not None:
            yield found.span()
            found = pattern.search(text, found.start() + 1 if overlapping else found.end())
        return
    start = text.find(old)
    while start >= 0:
        yield start, start + len(old)
        start = text.find(old, start + (1 if overlapping else len(old)))


def _hint(text: str, old: str) -> str:
    if unicodedata.normalize("NFC", old) in unicodedata.normalize("NFC", text):
        return "The file has it in another Unicode normal form; copy the characters from `read` exactly."
    first = next((line for line in old.split("\n") if line.strip()), "")
    wanted = " ".join(first.split())
    for number, line in enumerate(text.split("\n"), start=1):
        if wanted and wanted == " ".join(line.split()):
            return f"Line {number} looks alike; white space or the lines after it differ. Re-read it."
    return "Read the file again and copy the text exactly, without the line numbers."
