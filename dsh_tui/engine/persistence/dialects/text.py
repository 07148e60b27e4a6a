"""The lines of a log file, raw or in frames, with what is missing between them.

Source: upstream format §2, §8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dsh_tui.engine.persistence.dialects.frames import Piece, decoded_frames
from dsh_tui.engine.persistence.dialects.paths import is_compressed
from dsh_tui.engine.persistence.stored import Notice


@dataclass(slots=True)
class LogText:
    """Whole lines, each as it was written. ``damaged`` means that some between them are lost."""

    lines: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    damaged: bool = False


def log_text(data: bytes, path: Path) -> LogText:
    """The lines of the file's bytes."""
    pieces: Iterable[Piece] = decoded_frames(data) if is_compressed(path) else (Piece(0, data),)
    text = LogText()
    pending: list[bytes] = []
    torn = False
    for piece in pieces:
        if piece.problem:
            _take_lines(text, pending)
            pending = []
            text.damaged = True
            line = len(text.lines) + 1
            text.notices.append(Notice(f"{piece.problem}; its records are lost", line=line))
        else:
            pending.append(piece.text)
            torn = piece.torn
    rest = _take_lines(text, pending)
    if rest.strip(b"\0"):
        size = len(rest)
        cut = f"the last record was cut off ({size} bytes) and left out"
        text.notices.append(Notice(cut, line=len(text.lines) + 1))
    elif torn:
        cut = "the last frame was cut off; what can't be read of it was left out"
        text.notices.append(Notice(cut, line=len(text.lines) + 1))
    return text


def _take_lines(text: LogText, parts: list[bytes]) -> bytes:
    """Add the whole lines of the parts; what is left behind the last line end."""
    whole, end, rest = b"".join(parts).rpartition(b"\n")
    if end:
        # Bytes that are no UTF-8 become lone surrogates; such a line is shown as damaged where it matters.
        text.lines.extend(whole.decode("utf-8", "surrogateescape").split("\n"))
    return rest
