"""The end of a log, for a first look while the whole is still to be read.

Costs the same for a log of any length. Nothing is checked here: lines that are no rows are passed over,
and in a turn that has not ended so is what follows them, as nobody goes on from there. Whoever goes on with
the session reads it with `reader`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.regular_file import opened_regular
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.jsonl.format import decode_header, decode_line
from dsh_tui.engine.session.errors import InvalidHeaderError
from dsh_tui.engine.session.header import SessionHeader
from dsh_tui.engine.session.pack import Row

ENOUGH: Final = 128 * 1024
"""Bytes: some dozens of turns."""
_HEADER: Final = 16 * 1024


def read_tail(path: Path, size: int = ENOUGH) -> tuple[SessionHeader, list[Row]] | None:
    """Header and last rows, from a turn's beginning on where there is one; None if it can't be told.

    Raises:
        FileNotFoundError: nothing is there.
        UnreadableError: it can't be read.
    """
    with opened_regular(path) as fd, os.fdopen(fd, "rb", closefd=False) as file:
        first = file.readline(_HEADER)
        end = file.seek(0, os.SEEK_END)
        start = file.seek(max(len(first), end - size))
        lines = file.read().split(b"\n")
    lines.pop()  # what is not terminated is no record
    if start > len(first):
        del lines[:1]  # begins somewhere in a line
    try:
        header = decode_header(first.decode())
    except (ValueError, FormatUnsupportedError, InvalidHeaderError):
        return None
    rows: list[Row] = []
    good: int | None = None
    for line in lines:
        try:
            rows.append(decode_line(line.decode()))
        except ValueError:
            good = len(rows) if good is None and line.strip() else good
        else:
            good = None if getattr(rows[-1], "type", "") == "turn/end" else good
    del rows[len(rows) if good is None else good :]
    turn = next((at for at, row in enumerate(rows) if getattr(row, "type", "") == "turn/start"), 0)
    return header, rows[turn:]
