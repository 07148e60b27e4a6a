"""Windows: some lines of a text, without splitting or holding the rest of a large file.

Lines end at ``\\n`` or ``\\r\\n`` only; a lone CR and Unicode separators are content.
Source: capabilities B3, B6 (read limits).
"""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO, Final

from dsh_tui.engine.fs.errors import NOT_TEXT, FsError
from dsh_tui.engine.fs.names import show_path

_CHUNK: Final = 1024 * 1024
MAX_LINE_BYTES: Final = 64 * 1024
"""Bytes kept of a line of a streamed file; far beyond what is shown of it."""


def window_of(text: str, first: int, count: int) -> tuple[tuple[str, ...], int]:
    """The lines ``first`` … and the number of all lines. A final line end starts no line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    chosen = lines[first - 1 : first - 1 + count]
    return tuple(line.removesuffix("\r") for line in chosen), len(lines)


def stream_window(file: BinaryIO, path: Path, first: int, count: int) -> tuple[tuple[str, ...], int]:
    """`window_of` for UTF-8 files of any size, in constant memory beside the window.

    Raises:
        FsError: ``FS_NOT_TEXT``.
    """
    chosen: list[bytes] = []
    number = 1
    pending = b""
    started = False
    while chunk := file.read(_CHUNK):
        if b"\0" in chunk:
            raise FsError(f"{show_path(path)} is binary: it contains NUL bytes.", code=NOT_TEXT)
        if not started:
            chunk, started = chunk.removeprefix(codecs.BOM_UTF8), True  # the mark is no content
        if number + chunk.count(b"\n") < first or number >= first + count:
            number += chunk.count(b"\n")
            _, newline, tail = chunk.rpartition(b"\n")
            pending = (tail if newline else pending + tail)[:MAX_LINE_BYTES]
            continue
        head, *rest = chunk.split(b"\n")
        pending = (pending + head)[:MAX_LINE_BYTES]
        for line in rest:
            if first <= number < first + count:
                chosen.append(pending)
            number += 1
            pending = line[:MAX_LINE_BYTES]
    total = number if pending else number - 1
    if pending and first <= number < first + count:
        chosen.append(pending)
    return tuple(_decoded(line, path) for line in chosen), total


def _decoded(line: bytes, path: Path) -> str:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(line, final=len(line) < MAX_LINE_BYTES)
    except UnicodeDecodeError as error:
        raise FsError(f"{show_path(path)} is not UTF-8 text.", code=NOT_TEXT) from error
    return text.removesuffix("\r")
