"""Text files as they are: encoding, byte order mark and line ends, kept through every change.

`decode` keeps line ends in the text. UTF-8 with or without a mark, and UTF-16 with one;
anything else is not text. Source: design §3.12; capabilities B3.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dsh_tui.engine.fs.errors import NOT_TEXT, FsError
from dsh_tui.engine.fs.names import show_path

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How characters are stored: the codec, and the mark in front of them."""

    encoding: str = "utf-8"
    mark: bytes = b""

    def encode(self, text: str, path: Path) -> bytes:
        """The bytes of the text in this format.

        Raises:
            FsError: ``FS_NOT_TEXT``, the text holds half a surrogate pair.
        """
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise FsError(
                f"The new text for {show_path(path)} holds half a surrogate pair at character "
                f"{error.start}, which no file can store. Send the whole character.",
                code=NOT_TEXT,
            ) from error


def decode(raw: bytes, path: Path) -> tuple[str, TextFormat]:
    """The text without its mark, and how to store it again.

    Raises:
        FsError: ``FS_NOT_TEXT``.
    """
    mark, encoding = next((pair for pair in _MARKS if raw.startswith(pair[0])), (b"", "utf-8"))
    if encoding == "utf-8" and b"\0" in raw:
        raise FsError(f"{show_path(path)} is binary: it contains NUL bytes.", code=NOT_TEXT)
    try:
        return raw[len(mark) :].decode(encoding), TextFormat(encoding, mark)
    except UnicodeDecodeError as error:
        raise FsError(
            f"{show_path(path)} is not {encoding.upper()} text (byte {error.start + len(mark)} is invalid). "
            "Convert it or inspect it with a shell command.",
            code=NOT_TEXT,
        ) from error


def line_end(text: str) -> Literal["\n", "\r\n", ""]:
    """The line end that most lines of the text have; empty if it has none. A lone CR is content."""
    pairs = text.count("\r\n")
    single = text.count("\n") - pairs
    if pairs == single == 0:
        return ""
    return "\r\n" if pairs > single else "\n"


def with_line_end(text: str, end: str) -> str:
    """The text with all its line ends turned into ``end``."""
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", end) if end == "\r\n" else plain
