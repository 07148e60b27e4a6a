"""Reads a log file, whatever state it is in, and changes none of its bytes.

An unterminated last line is torn and left out. A bad line or a gap is a damaged tail, left
out with what follows, unless a finished turn lies beyond it: then the log is ``damaged``,
every good record of it is given, and nobody may write it. So is a log with a record whose sum is
another, which is given as it stands. No crash leaves a bad line with an end, so a damaged tail is named
as damage, and the good records in it are ``beyond``. Needs no kernel and no boot.
Source: core spec §4.4; design §3.5.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple, cast

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.regular_file import UnreadableError, opened_regular
from dsh_tui.engine.persistence.errors import (
    FormatUnsupportedError,
    NotStoredError,
    PersistenceError,
    UnsafeIdError,
)
from dsh_tui.engine.persistence.jsonl.format import decode_header, decode_line
from dsh_tui.engine.persistence.jsonl.paths import escape_id, id_of
from dsh_tui.engine.persistence.jsonl.salvage import Salvage
from dsh_tui.engine.persistence.jsonl.sums import changed_lines, is_changed
from dsh_tui.engine.persistence.stored import LoadedSession, Notice, Revision
from dsh_tui.engine.session.errors import InvalidHeaderError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import FORMAT, VERSION, SessionHeader
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun, Row

_TRIES = 3
_MOST_NOTICES = 20


def read_log(path: Path, session_id: str | None = None) -> LoadedSession:
    """The session in the file, called ``session_id``; without one, as its header says.

    Raises:
        NotStoredError: no such file.
        FormatUnsupportedError: another format or version.
        PersistenceError: the operating system does not let us read it.
    """
    data, revision = read_bytes(path)
    return decode_log(data, path, revision, session_id)


def decode_log(data: bytes, path: Path, revision: Revision, session_id: str | None = None) -> LoadedSession:
    """`read_log` for bytes that were read already."""
    whole = data.rfind(b"\n") + 1
    lines = _lines(data[:whole])
    header, header_problem, namesake = read_header(lines, path, revision, session_id)
    slots: list[Row] = []
    with collector_paused():
        bad = _read_rows(lines, slots)
    notices: list[Notice] = []
    damaged = header_problem is not None
    if header_problem is not None:
        notices.append(Notice(header_problem, line=1))
    good = data[:whole].split(b"\n")[:bad]
    changed = list(islice(_changed(good), _MOST_NOTICES))
    damaged |= bool(changed)
    notices.extend(changed)
    end = whole
    events: EventLog | tuple[object, ...] = EventLog(slots)
    beyond: list[Event] | None = None
    if bad is not None:
        salvage = Salvage(lines, bad, len(slots))
        if salvage.finished_turn_beyond or damaged:
            damaged = True
            notices.extend(salvage.damage())
            events = (*EventLog(slots), *salvage.events)
        else:
            notices.append(salvage.tail())
            end = sum(len(line) + 1 for line in good)
            beyond = salvage.events
    if whole < len(data) and (lines or header_problem is None):
        notices.append(_torn(data, whole, len(lines) + 1))
    if namesake:
        notices.append(
            Notice(f"the log says that it is session {namesake}; it goes by the name of its folder")
        )
    return LoadedSession(
        header=header,
        events=events,  # type: ignore[arg-type]  # both hold events
        notices=tuple(notices),
        status="damaged" if damaged else "ok",
        path=path,
        end=end,
        revision=revision,
        beyond=beyond,
    )


def read_bytes(path: Path) -> tuple[bytes, Revision]:
    """The file and the revision it was read at; read again if it changed meanwhile.

    Raises:
        NotStoredError: no such file.
        PersistenceError: it cannot be read.
    """
    try:
        for _ in range(_TRIES):
            with opened_regular(path) as fd, os.fdopen(fd, "rb", closefd=False) as file:
                before = revision_of(os.fstat(fd))
                data = file.read()
                if revision_of(os.fstat(fd)) == before:
                    break
    except FileNotFoundError as error:
        raise NotStoredError(f"no session log at {path}", path=path) from error
    except UnreadableError as error:
        raise PersistenceError(f"{path}: {error.why}", path=path) from error
    return data, before


def revision_of(stat: os.stat_result) -> Revision:
    """The revision that a stat tells."""
    return Revision(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def stand_in_header(path: Path, revision: Revision, session_id: str | None = None) -> SessionHeader:
    """What can be said of a session whose header cannot be read."""
    return freeze(
        SessionHeader(
            format=FORMAT,
            version=VERSION,
            id=session_id or id_of(path),
            createdAt=revision.mtime_ns // 1_000_000,
            delegationDepth=0,
        )
    )


def _lines(data: bytes) -> list[str]:
    if not data:
        return []
    # Bytes that are no UTF-8 become lone surrogates here; a line that has any does not parse as a row.
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    lines.pop()
    return lines


class ReadHeader(NamedTuple):
    """The header of a log, called as it is to be called."""

    header: SessionHeader
    problem: str | None = None
    """What is wrong with it; then it is a stand-in, or changed."""
    namesake: str = ""
    """The session that it says it is, where its folder says another; empty where they agree."""


def read_header(
    lines: list[str], path: Path, revision: Revision, session_id: str | None = None
) -> ReadHeader:
    """The header in the first line, or a stand-in for it and what is wrong.

    Raises:
        FormatUnsupportedError: another format or version.
    """
    stand_in = stand_in_header(path, revision, session_id)
    if not lines:
        problem = "the file is empty" if revision.size == 0 else "the first line, the header, is incomplete"
        return ReadHeader(stand_in, problem)
    try:
        header = decode_header(lines[0].removeprefix("\ufeff"))
    except FormatUnsupportedError as error:
        raise FormatUnsupportedError(f"{path}: {error.message}", path=path) from error
    except InvalidHeaderError as error:
        return ReadHeader(stand_in, error.message)
    except ValueError:
        return ReadHeader(stand_in, "the header is damaged")
    agrees = _is_called(header["id"], path)
    changed = not agrees and is_changed(lines[0].encode("utf-8", "surrogateescape"))
    if session_id in (None, header["id"]) and not changed:
        return ReadHeader(header)
    named = cast("SessionHeader", freeze({**header, "id": stand_in["id"]}))
    if changed:
        return ReadHeader(named, "the header is not as it was written")
    return ReadHeader(named, namesake="" if agrees else header["id"])


def _is_called(session_id: str, path: Path) -> bool:
    """Whether the folder of a log is called after the session."""
    try:
        return session_id == id_of(path) or escape_id(session_id) == path.parent.name
    except UnsafeIdError:
        return False


def _read_rows(lines: list[str], slots: list[Row]) -> int | None:
    """Fill the slots up to the first bad line; its index, or None if there is none."""
    for at in range(1, len(lines)):
        line = lines[at]
        try:
            row = decode_line(line)
        except ValueError:
            if line.strip():
                return at
            continue
        if row.seq != len(slots):
            return at
        if isinstance(row, ChunkRun):
            slots.extend([row] * len(row))
        else:
            slots.append(row)
    return None


def _changed(good: Sequence[bytes]) -> Iterator[Notice]:
    """Records that say something else than when they were written; the header is told apart."""
    for changed in changed_lines(good):
        if changed.line > 1 and not changed.unsummed:
            yield Notice(f"line {changed.line} is not as it was written", line=changed.line)


@contextmanager
def collector_paused() -> Iterator[None]:
    """A long log is a million live objects and no garbage: looking for it doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _torn(data: bytes, whole: int, line: int) -> Notice:
    size = len(data) - whole
    if not data[whole:].strip(b"\0"):
        return Notice(f"{size} NUL bytes at the end, as a power cut leaves them, were left out", line=line)
    return Notice(f"the last record was cut off ({size} bytes) and left out", line=line)
