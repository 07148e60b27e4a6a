"""One row of a session list from a log of the original: its few telling lines, not the whole log.

Frames are checked, so a bad one shows; bad rows inside good frames show once somebody opens it.
Source: core spec §4.1 (list); design §4 (sessions list).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.persistence.dialects.envelope import Entry, Line, decode_line
from dsh_tui.engine.persistence.dialects.paths import unescape_id
from dsh_tui.engine.persistence.dialects.reader import open_text, read_original
from dsh_tui.engine.persistence.dialects.text import log_text
from dsh_tui.engine.persistence.dialects.triggers import find_triggers
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.jsonl.reader import read_bytes, revision_of
from dsh_tui.engine.persistence.stored import LoadedSession, Revision, SessionSummary, StoredStatus

_TITLE_LENGTH = 120
_TELLING = tuple(
    f'{{"type":"{tag}"'
    for tag in ("turn/start", "turn/end", "user/message", "agent/inbox/spliced", "session/title")
)


def read_summary(path: Path) -> SessionSummary:
    """The row. A log that cannot be understood is a row with a status.

    Raises:
        PersistenceError: the file cannot be read at all.
    """
    data, revision = read_bytes(path)
    text = log_text(data, path)
    try:
        _, header, first = open_text(text, path, revision)
    except FormatUnsupportedError as error:
        return _without_facts(path, revision, "foreign-version", error.message)
    lines = text.lines[first:]
    entries = [line for line in _decoded(lines) if isinstance(line, Entry)]
    last = next(_decoded(reversed(lines)), None)
    problem = next((notice.text for notice in text.notices if text.damaged), "")
    return SessionSummary(
        id=unescape_id(path.parent.name),
        path=path,
        created_at=header["createdAt"],
        updated_at=header["createdAt"] if last is None else last.time,
        revision=revision,
        status="damaged" if text.damaged else "ok",
        title=_title(entries),
        cwd=header.get("cwd"),
        turns=sum(trigger["kind"] == "message" for trigger in find_triggers(entries).values()),
        parent_session=header.get("parentSession"),
        origin=header.get("origin"),
        note=f"{path}: {problem}" if problem else "",
        source="dsh",
    )


def read_whole(path: Path) -> SessionSummary:
    """`read_summary` with every record looked at. Raises as it does."""
    row = read_summary(path)
    return row if row.status == "foreign-version" else with_damage(row, read_original(path))


def with_damage(row: SessionSummary, loaded: LoadedSession) -> SessionSummary:
    """The row, and what is wrong with the log, if anything."""
    if loaded.status == "ok":
        return row
    return replace(row, status=loaded.status, note=f"{loaded.path}: {loaded.notices[0].text}")


def _decoded(lines: Iterator[str] | list[str]) -> Iterator[Line]:
    telling = isinstance(lines, list)
    for line in lines:
        if telling and not line.startswith(_TELLING):
            continue
        try:
            yield decode_line(line)
        except ValueError:
            continue


def _title(entries: list[Entry]) -> str:
    """The last title, else the first words of the first prompt."""
    title = words = ""
    for entry in entries:
        data = entry.data
        if entry.type == "session/title":
            title = str(data.get("title") or "") or title
        elif entry.type == "user/message" and not words:
            source, content = data.get("source"), data.get("content")
            if isinstance(source, dict) and source.get("kind") == "user" and isinstance(content, tuple):
                words = text_of(content)
    return " ".join((title or words)[: 8 * _TITLE_LENGTH].split())[:_TITLE_LENGTH]


def unreadable_summary(path: Path, why: str) -> SessionSummary:
    """The row of a log that gives none."""
    try:
        revision = revision_of(path.stat())
    except OSError:
        revision = Revision(0, 0, 0, 0, 0)
    return _without_facts(path, revision, "damaged", f"{path}: {why}")


def _without_facts(path: Path, revision: Revision, status: StoredStatus, note: str) -> SessionSummary:
    written = revision.mtime_ns // 1_000_000
    return SessionSummary(
        id=unescape_id(path.parent.name),
        path=path,
        created_at=written,
        updated_at=written,
        revision=revision,
        status=status,
        note=note,
        source="dsh",
    )
