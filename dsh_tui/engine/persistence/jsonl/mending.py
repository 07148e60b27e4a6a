"""Mending a log before it is continued: the torn tail is cut, an open turn is closed. Durable.

Never for damage before a finished turn: that file is not touched. Lines that are cut with a
damaged tail are kept beside the log; a single cut-off record is not, it was never
acknowledged. Source: core spec §4.4, §4.5.
"""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from dsh_tui.engine.base.atomic_file import remove_old_temps, write_atomic
from dsh_tui.engine.persistence.errors import CorruptLogError, UnknownEventError
from dsh_tui.engine.persistence.jsonl.disk import SYSTEM_DISK, Disk
from dsh_tui.engine.persistence.jsonl.format import encode_rows
from dsh_tui.engine.persistence.jsonl.reader import read_bytes, read_log
from dsh_tui.engine.persistence.jsonl.writer import LogFile
from dsh_tui.engine.persistence.stored import LoadedSession, Notice
from dsh_tui.engine.session import core_types as _core_types  # noqa: F401  # registers the core types
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun
from dsh_tui.engine.session.registry import EVENT_TYPES
from dsh_tui.engine.session.repair import closers


def check_writable(loaded: LoadedSession) -> None:
    """May this log be continued?

    Raises:
        CorruptLogError: damage before a finished turn.
        UnknownEventError: an event of a type nobody here knows, which may not be skipped.
    """
    path = loaded.path
    if loaded.status != "ok":
        first = loaded.notices[0] if loaded.notices else Notice("damaged")
        where = "" if first.line is None else f", line {first.line}"
        raise CorruptLogError(
            f"{path}{where}: {first.text}. It can be read but not continued; `dsh-tui sessions repair "
            f"{shlex.quote(loaded.header['id'])}` makes a repaired copy",
            path=path,
            line=first.line,
            damage=first.text,
        )
    assert isinstance(loaded.events, EventLog)
    for row in loaded.events.rows():
        if not isinstance(row, ChunkRun) and row.type not in EVENT_TYPES and not row.ignorable:
            raise UnknownEventError(
                f"{path}: event {row.seq} is of type {row.type!r}, which no plugin here knows; it can be "
                "read but not continued until the plugin that wrote it is enabled",
                path=path,
            )


def needs_mending(loaded: LoadedSession) -> bool:
    """True where continuing the log means writing first."""
    return loaded.revision is None or loaded.end != loaded.revision.size or bool(closers(loaded.events))


def mend(loaded: LoadedSession, disk: Disk = SYSTEM_DISK) -> LoadedSession:
    """Cut and close on disk, and read again. Notices of the first reading are kept.

    Raises:
        PersistenceError: the file has changed since, or cannot be written.
    """
    path, revision = loaded.path, loaded.revision
    assert path is not None
    assert revision is not None
    notices = list(loaded.notices)
    if loaded.end < revision.size:
        kept = _keep_aside(path, loaded.end)
        if kept is not None:
            notices.append(Notice(f"the lines that were cut off are kept in {kept}"))
    ending = closers(loaded.events, lost=loaded.damaged)
    remove_old_temps(path.parent, time.time())
    file = LogFile.adopt(path, loaded.end, revision.size, revision.inode, disk=disk)
    try:
        file.cut()
        file.append(encode_rows(ending) if ending else b"")
    finally:
        file.close()
    if ending:
        turn = ending[-1].data["turn"]
        notices.append(Notice(f"turn {turn} was still open and was closed as interrupted"))
    return replace(read_log(path, loaded.header["id"]), notices=tuple(notices))


def _keep_aside(path: Path, end: int) -> Path | None:
    """The file that has what stands behind ``end``; None if that is a single record that was cut off."""
    rest = read_bytes(path)[0][end:]
    if b"\n" not in rest:
        return None
    # With a sum: the next damaged end may be at the same place, and must not take the place of this one.
    aside = path.with_name(f"{path.stem}.cut-at-{end}.{crc32(rest):08x}.jsonl")
    write_atomic(aside, rest)
    return aside
