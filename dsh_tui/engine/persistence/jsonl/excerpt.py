"""Reads the events of a few types out of a log file, at the price of finding their lines.

Lines begin with their type, as this program writes them; one that doesn't is parsed to be sure.
Lines that are no records are passed over: whoever wants to know of damage reads the whole log.
Source: core spec §4.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.persistence.jsonl.format import decode_line
from dsh_tui.engine.persistence.jsonl.paths import id_of
from dsh_tui.engine.persistence.jsonl.reader import read_bytes, read_header
from dsh_tui.engine.persistence.log_source import Excerpt
from dsh_tui.engine.session.event import Event

_START: Final = b'{"type":'


def read_excerpt(path: Path, types: Collection[str]) -> Excerpt:
    """Header and events of these types.

    Raises:
        NotStoredError, FormatUnsupportedError, PersistenceError: the log can't be read at all.
    """
    data, revision = read_bytes(path)
    lines = data.split(b"\n")
    first = lines[0].decode("utf-8", "surrogateescape")
    header = read_header([first], path, revision, id_of(path)).header
    return Excerpt(header, list(_events(lines, types)))


def _events(lines: list[bytes], types: Collection[str]) -> Iterator[Event]:
    wanted = tuple(_START + dumps(name).encode() for name in types)
    for line in lines[1:]:
        if line.startswith(_START) and not line.startswith(wanted):
            continue
        try:
            row = decode_line(line.decode("utf-8"))
        except ValueError:
            continue
        if isinstance(row, Event) and row.type in types:
            yield row
