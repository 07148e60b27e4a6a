"""Reads a log of the original into a session of ours in memory, and changes none of its bytes.

Every good record keeps its seq. A torn end is left out with a notice; a bad frame, a bad line or a gap makes
the session ``damaged``, and what is good on both sides of it is given.
Source: upstream format §2–§8; core spec §0 (reading other logs); design §3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dsh_tui.engine.persistence.dialects.envelope import Entry, Line, Packed, decode_line
from dsh_tui.engine.persistence.dialects.header import NEWEST, decode_header, newer_version
from dsh_tui.engine.persistence.dialects.importer import IMPORTERS, Importer, SeedLog
from dsh_tui.engine.persistence.dialects.paths import named_version, unescape_id
from dsh_tui.engine.persistence.dialects.text import LogText, log_text
from dsh_tui.engine.persistence.dialects.triggers import find_triggers
from dsh_tui.engine.persistence.jsonl.reader import collector_paused, read_bytes, stand_in_header
from dsh_tui.engine.persistence.stored import LoadedSession, Notice, Revision
from dsh_tui.engine.session.errors import SessionError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import SessionHeader, new_header
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import Row, unpack

_MOST_NOTICES = 20


def read_original(path: Path) -> LoadedSession:
    """The session in the file.

    Raises:
        NotStoredError: no such file.
        FormatUnsupportedError: a newer version.
        PersistenceError: it cannot be read, or not decoded.
    """
    with collector_paused():
        return decode_original(*read_bytes(path), path)


def decode_original(data: bytes, revision: Revision, path: Path) -> LoadedSession:
    """`read_original` for bytes that were read already."""
    text = log_text(data, path)
    version, header, first = open_text(text, path, revision)
    lines = _decoded(text, first)
    entries = [line for line in lines if isinstance(line, Entry)]
    importer = _importer(version, entries)(find_triggers(entries))
    rows: list[Row] = []
    for line in lines:
        rows.extend(line.rows if isinstance(line, Packed) else (importer.take(line),))
    text.notices.extend(Notice(problem) for problem in importer.problems)
    hidden = len(text.notices) - _MOST_NOTICES
    notices = text.notices[:_MOST_NOTICES]
    if hidden > 0:
        notices.append(Notice(f"{hidden} more such places follow"))
    events: Sequence[Event] = tuple(unpack(rows)) if text.damaged else EventLog.of(rows)
    return LoadedSession(
        header=_seeded(header, entries),
        events=events,
        notices=tuple(notices),
        status="damaged" if text.damaged else "ok",
        path=path,
        end=len(data),
        revision=revision,
        dialect=importer.dialect,
    )


def open_text(text: LogText, path: Path, revision: Revision) -> tuple[int, SessionHeader, int]:
    """Version, header, and how many lines it took; a lost header is replaced by what the path tells.

    Raises:
        FormatUnsupportedError: a newer version.
    """
    version = named_version(path)
    if version > NEWEST:
        raise newer_version(path, version)
    try:
        return (*decode_header(text.lines[0].removeprefix("\ufeff"), path), 1)
    except (ValueError, IndexError) as error:
        problem = "the header is damaged" if isinstance(error, ValueError) else "the header is missing"
    except SessionError as error:
        if error.code == "FORMAT_UNSUPPORTED":
            raise
        problem = error.message
    if not (text.damaged and text.notices[0].line == 1):
        text.notices.insert(0, Notice(problem, line=1))
    text.damaged = True
    made = stand_in_header(path, revision)
    header = new_header(unescape_id(path.parent.name), made["createdAt"], {})
    return version, header, int(bool(text.lines) and not _is_row(text.lines[0]))


def _is_row(line: str) -> bool:
    try:
        decode_line(line)
    except ValueError:
        return False
    return True


def _decoded(text: LogText, first: int) -> list[Line]:
    """The good rows in order; what is wrong goes to the notices of the text."""
    lines: list[Line] = []
    following = 0
    for number, raw in enumerate(text.lines[first:], first + 1):
        if not raw.strip():
            continue
        try:
            line = decode_line(raw)
        except ValueError as error:
            _damage(text, f"line {number} is damaged: {error}", number)
            continue
        if line.seq < following:
            _damage(text, f"line {number} repeats record {line.seq}", number)
            continue
        if line.seq > following:
            lost = f"{following}" if line.seq == following + 1 else f"{following}–{line.seq - 1}"
            _damage(text, f"before line {number} is missing: record {lost}", number)
        following = line.seq + len(line)
        lines.append(line)
    return lines


def _damage(text: LogText, problem: str, line: int) -> None:
    text.damaged = True
    text.notices.append(Notice(problem, line=line))


def _importer(version: int, entries: Sequence[Entry]) -> type[Importer]:
    """Version numbers began anew once: the first logs of all are told by their shape."""
    if version <= 1 and any(
        entry.type == "context/message" or (entry.type == "turn/start" and "trigger" in entry.data)
        for entry in entries
    ):
        return SeedLog
    return IMPORTERS.get(version, Importer)


def _seeded(header: SessionHeader, entries: Sequence[Entry]) -> SessionHeader:
    """From version 3 on a marker says how much was inherited, not the header."""
    for entry in reversed(entries):
        if entry.type == "session/end-seed" and entry.data.get("inherited") is True:
            return new_header(header["id"], header["createdAt"], {**header, "seedLength": entry.seq})
    return header


def under_id(loaded: LoadedSession, session_id: str) -> LoadedSession:
    """The same session under the id by which it is asked for here."""
    if loaded.header["id"] == session_id:
        return loaded
    header = new_header(session_id, loaded.header["createdAt"], loaded.header)
    return replace(loaded, header=header)
