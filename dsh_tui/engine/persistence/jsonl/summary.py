"""One row of a session list from a log file, reading no more of it than needed.

`read_summary` is for whoever reads on later: of a large file it takes only the head, the tail, and what
the middle says of the session itself; turns are not counted then, and damage in the middle does not show.
`read_whole` reads everything.
Source: core spec §4.1 (list); design §4 (sessions list).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dsh_tui.engine.base.regular_file import UnreadableError, opened_regular
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.persistence.errors import FormatUnsupportedError, NotStoredError, PersistenceError
from dsh_tui.engine.persistence.jsonl.format import decode_header, decode_line
from dsh_tui.engine.persistence.jsonl.marked_lines import marked_lines
from dsh_tui.engine.persistence.jsonl.paths import id_of, iter_logs, shown_ids
from dsh_tui.engine.persistence.jsonl.reader import decode_log, read_bytes, revision_of, stand_in_header
from dsh_tui.engine.persistence.jsonl.sound_log import is_sound
from dsh_tui.engine.persistence.lease.busy import marked_busy
from dsh_tui.engine.persistence.stored import LoadedSession, Revision, SessionSummary, StoredStatus
from dsh_tui.engine.session.errors import InvalidHeaderError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import SessionHeader
from dsh_tui.engine.session.pack import ChunkRun, Row

SMALL = 256 * 1024  # files up to this size are read as a whole
_END = 64 * 1024
_TITLE_LENGTH = 120
_TURN, _PROMPT = '{"type":"turn/start"', '{"type":"user/message"'
_ABOUT = '{"type":"session/'
"""Title and directory are told by events of these types."""
_MARKS = (_TURN, _PROMPT, f'{_ABOUT}title"', f'{_ABOUT}cwd"')
_BY_MESSAGE = '"trigger":{"kind":"message"'  # quotes in texts are escaped, so it is never part of one


def read_summary(path: Path) -> SessionSummary:
    """The row. Never raises for a file that is there, however damaged.

    Raises:
        PersistenceError: the file cannot be read at all.
    """
    try:
        with opened_regular(path) as fd, os.fdopen(fd, "rb", closefd=False) as file:
            revision = revision_of(os.fstat(fd))
            small = revision.size <= SMALL
            head = file.read(SMALL if small else _END)
            tail, middle = b"", list[bytes]()
            if not small:
                file.seek(-_END, os.SEEK_END)
                tail = file.read()
                ends = max(0, head.rfind(b"\n")), revision.size - len(tail) + tail.find(b"\n") + 1
                middle.extend(marked_lines(file, *ends, _ABOUT.encode()))
    except FileNotFoundError as error:
        raise NotStoredError(f"no session log at {path}", path=path) from error
    except UnreadableError as error:
        raise PersistenceError(f"{path}: {error.why}", path=path) from error
    return _from_ends(path, revision, head, tail, middle)


def list_summaries(root: Path, *, now_ms: int) -> list[SessionSummary]:
    """Every session below ``root``, newest first. One that can't be read is a row that says so."""
    rows: list[SessionSummary] = []
    for path, shown_id in shown_ids(list(iter_logs(root))).items():
        try:
            rows.append(replace(marked_busy(_read_or_not(path), now_ms), id=shown_id))
        except OSError:
            continue  # gone meanwhile
    rows.sort(key=lambda row: row.updated_at, reverse=True)
    return rows


def _read_or_not(path: Path) -> SessionSummary:
    try:
        return read_whole(path)
    except PersistenceError as error:
        return unreadable_summary(path, error.message)


def read_whole(path: Path) -> SessionSummary:
    """`read_summary` with every record looked at. Raises as it does."""
    data, revision = read_bytes(path)
    if is_sound(data):
        row = _from_ends(path, revision, data)
        if row.status == "ok":
            return row
    try:
        loaded = decode_log(data, path, revision, id_of(path))
    except FormatUnsupportedError as error:
        return _unreadable(path, revision, "foreign-version", error.message)
    return summary_of(loaded)


def _from_ends(
    path: Path, revision: Revision, head: bytes, tail: bytes = b"", middle: Sequence[bytes] = ()
) -> SessionSummary:
    lines = head.decode("utf-8", "surrogateescape").split("\n")
    try:
        if len(lines) == 1:
            raise ValueError("no line end")
        header = decode_header(lines[0].removeprefix("\ufeff"))
    except FormatUnsupportedError as error:
        return _unreadable(path, revision, "foreign-version", f"{path}: {error.message}")
    except (ValueError, InvalidHeaderError):
        note = "the file is empty" if not revision.size else "line 1, the header, is damaged"
        return _unreadable(path, revision, "damaged", note)
    del lines[0]
    # Behind the last newline lies a torn line, or one that the head was too short for.
    ends = [lines[:-1]]
    if tail:
        ends.append([line.decode("utf-8", "surrogateescape") for line in middle])
        ends.append(tail.decode("utf-8", "surrogateescape").split("\n")[1:-1])
    facts = _Facts()
    for end in ends:
        for line in end:
            if line.startswith(_TURN) and _BY_MESSAGE in line:
                facts.turns += 1
            elif line.startswith(_MARKS) and not (facts.first_words and line.startswith(_PROMPT)):
                facts.take_all(_decoded([line]))
    facts.take_last(next(_decoded(line for end in reversed(ends) for line in reversed(end)), None))
    return _summary(path, revision, header, facts, "ok", "", counted=not tail)


def _decoded(lines: Iterable[str]) -> Iterator[Row]:
    for line in lines:
        try:
            yield decode_line(line)
        except ValueError:
            continue


@dataclass(slots=True)
class _Facts:
    """What a list row says, gathered from events in order."""

    title: str = ""
    by_user: bool = False
    first_words: str = ""
    turns: int = 0
    updated_at: int = 0
    moved_to: str = ""

    def take_all(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if isinstance(row, Event):
                self.take(row)

    def take(self, event: Event) -> None:
        data = event.data
        self.updated_at = event.time
        if event.type == "turn/start":
            trigger = data.get("trigger")
            self.turns += trigger is not None and trigger.get("kind") == "message"
        elif event.type == "session/title":
            given = data.get("source") == "user"
            if given or not self.by_user:
                self.title, self.by_user = _one_line(str(data.get("title", ""))), given
        elif event.type == "session/cwd":
            self.moved_to = str(data.get("cwd") or "")
        elif event.type == "user/message" and not self.first_words:
            self.first_words = _one_line(_text(event))

    def take_last(self, row: Row | None) -> None:
        if row is not None:
            self.updated_at = row.times[-1] if isinstance(row, ChunkRun) else row.time


def _summary(
    path: Path,
    revision: Revision,
    header: SessionHeader,
    facts: _Facts,
    status: StoredStatus,
    note: str,
    *,
    counted: bool,
) -> SessionSummary:
    return SessionSummary(
        id=id_of(path),
        path=path,
        created_at=header["createdAt"],
        updated_at=facts.updated_at or header["createdAt"],
        revision=revision,
        status=status,
        title=facts.title or facts.first_words,
        cwd=facts.moved_to or header.get("cwd"),
        turns=facts.turns if counted else None,
        parent_session=header.get("parentSession"),
        origin=header.get("origin"),
        note=note,
    )


def _unreadable(path: Path, revision: Revision, status: StoredStatus, note: str) -> SessionSummary:
    header = stand_in_header(path, revision)
    return SessionSummary(
        id=id_of(path),
        path=path,
        created_at=header["createdAt"],
        updated_at=header["createdAt"],
        revision=revision,
        status=status,
        note=note,
    )


def unreadable_summary(path: Path, why: str) -> SessionSummary:
    """The row of a file that gives none.

    Raises:
        OSError: it is not there.
    """
    try:
        stat = path.stat()
    except PermissionError:
        stat = path.parent.stat()  # its folder is closed: that one tells the time
    return _unreadable(path, revision_of(stat), "damaged", why)


def summary_of(loaded: LoadedSession) -> SessionSummary:
    """The row of a session that was read already."""
    assert loaded.path is not None
    assert loaded.revision is not None
    facts = _Facts()
    for event in loaded.events:
        facts.take(event)
    status: StoredStatus = "damaged" if loaded.damaged else loaded.status
    note = loaded.notices[0].text if loaded.notices and status != "ok" else ""
    return _summary(loaded.path, loaded.revision, loaded.header, facts, status, note, counted=True)


def _text(event: Event) -> str:
    try:
        return text_of(event.data["content"])
    except (KeyError, TypeError):  # a hand-made log
        return ""


def _one_line(text: str) -> str:
    return " ".join(text[: 8 * _TITLE_LENGTH].split())[:_TITLE_LENGTH]
