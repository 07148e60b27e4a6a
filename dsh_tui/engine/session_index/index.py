"""The index of stored sessions: what is known at once, brought up to date behind that, searched.

Rows come first and texts behind them, the newest sessions first, in many small transactions: whoever
reads meanwhile sees what is there so far. A log that can't be read is a row that says so.
Every method blocks and may be called from any thread. Source: design §3.7.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.real_folder import real_folder
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.log_source import FoundLog, LogSource
from dsh_tui.engine.persistence.stored import SessionSummary
from dsh_tui.engine.projection.views import SessionHits, SessionRow
from dsh_tui.engine.session_index.database import Database, IndexUnavailableError
from dsh_tui.engine.session_index.query import Query, snippet
from dsh_tui.engine.session_index.texts import SearchText, search_text, storable
from dsh_tui.engine.session_rows import session_row

BATCH_SECONDS: Final = 0.2
"""How long rows are gathered before others may see them."""
MOST_HITS: Final = 100

_COLUMNS: Final = SessionRow._fields[:-1]
"""All but what agents do now."""
_ROWS: Final = f"SELECT {', '.join(_COLUMNS)}, '' FROM session ORDER BY number"  # noqa: S608  # our own names
_PUT_ROW: Final = f"""
    INSERT INTO session (path, token, whole, {", ".join(_COLUMNS)})
    VALUES (?, ?, ?{", ?" * len(_COLUMNS)})
    ON CONFLICT (path) DO UPDATE SET token = excluded.token, whole = excluded.whole,
    {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)}
    RETURNING number
"""  # noqa: S608  # as above
_SEARCH: Final = """
    SELECT session.number, session.id, session.updated_at FROM said
    JOIN session ON session.number = said.rowid
    WHERE said MATCH :match AND (:cwd IS NULL OR real_folder(session.cwd) = :cwd)
    ORDER BY session.updated_at DESC
"""
_NAMESAKES: Final = """
    SELECT foreigner.number, foreigner.id, foreigner.path, foreigner.source, other.source
    FROM session AS foreigner JOIN session AS other ON other.id = foreigner.id
    WHERE foreigner.source <> 'dsh-tui' AND other.number <> foreigner.number
"""
_LARGEST: Final = 1 << 62

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is to be put in for one log; without text only the row."""

    log: FoundLog
    row: SessionRow
    text: SearchText | None


class SessionIndex:
    """All stored sessions of some sources. Derived: deleting its file loses nothing but time."""

    def __init__(self, path: Path, sources: Sequence[LogSource]) -> None:
        self._database = Database(path)
        self.sources = sources
        self._refreshing = threading.Lock()
        self._held: dict[str, str] = {}

    @property
    def path(self) -> Path:
        return self._database.path

    def state(self) -> object:
        """Another state means that `rows` may say something else.

        Raises:
            IndexUnavailableError: as every method here.
        """
        with self._database.open() as db:
            return self._state(db)

    def rows(self) -> list[SessionRow]:
        """What is known, newest first; see `refresh`."""
        return self.snapshot()[1]

    def snapshot(self, known: object = None) -> tuple[object, list[SessionRow]]:
        """The state and its rows; no rows are read where the state is ``known``."""
        with self._database.open() as db:
            db.execute("BEGIN")
            state = self._state(db)
            if state == known:
                return state, []
            rows = list(map(SessionRow._make, db.execute(_ROWS)))
            names = self._names(db)
            numbers = db.execute("SELECT number FROM session ORDER BY number").fetchall() if names else []
        if names:
            rows = [
                row._replace(id=names.get(number, row.id))
                for row, (number,) in zip(rows, numbers, strict=True)
            ]
        rows.sort(key=attrgetter("id"))
        rows.sort(key=attrgetter("updated_at"), reverse=True)
        held = self._held
        if held:
            rows = [_busy(row, held[row.id]) if row.id in held else row for row in rows]
        return state, rows

    def refresh(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Take up what has changed in the logs since. ``stopped`` ends it early, with nothing lost."""
        with self._refreshing, self._database.open() as db:
            logs = [(log, source) for source in self.sources for log in source.scan()]
            self._held = _holders(logs)
            known = {
                os.fsdecode(path): (token, whole)
                for path, token, whole in db.execute("SELECT path, token, whole FROM session")
            }
            self._forget(db, known.keys() - {log.path for log, _ in logs})
            logs.sort(key=lambda item: -item[0].mtime_ns)
            unread = [item for item in logs if known.get(item[0].path) != (item[0].token, 1)]
            new = [item for item in unread if known.get(item[0].path, ("",))[0] != item[0].token]
            self._put(db, (_row_entry(log, source) for log, source in new), stopped)
            self._put(db, (_whole_entry(log, source) for log, source in unread), stopped)

    def rebuild(self) -> int:
        """Make it anew from the logs; how many sessions there are.

        Raises:
            OSError: the old file can't be deleted.
        """
        self._database.remove()
        self.refresh()
        with self._database.open() as db:
            db.execute("INSERT INTO said (said) VALUES ('optimize')")
            count: int = db.execute("SELECT count(*) FROM session").fetchone()[0]
        return count

    def search(self, words: str, *, cwd: str | None = None, limit: int = MOST_HITS) -> SessionHits:
        """Sessions in which every word occurs somewhere, whatever its case; ``"two words"`` is a phrase.

        ``cwd`` leaves out those of other directories, links being where they lead.
        """
        query = Query.parse(words)
        if not query.terms:
            return SessionHits()
        with self._database.open() as db:
            db.create_function("real_folder", 1, real_folder, deterministic=True)
            here = None if cwd is None else real_folder(cwd)
            numbers = db.execute(_SEARCH, {"match": query.match, "cwd": here}).fetchall()
            names = self._names(db)
            hits = [
                snippet(names.get(number, session_id), query.terms, *self._texts(db, number))
                for number, session_id, _ in numbers[:limit]
            ]
        return SessionHits(tuple(hits), len(numbers))

    # Parts

    def _state(self, db: sqlite3.Connection) -> tuple[int, dict[str, str]]:
        return db.execute("SELECT generation FROM state").fetchone()[0], self._held

    def _names(self, db: sqlite3.Connection) -> dict[int, str]:
        """How sessions that have a namesake are shown, by number."""
        namesakes: dict[tuple[int, str, bytes, str], set[str]] = {}
        for *session, other in db.execute(_NAMESAKES):
            namesakes.setdefault((session[0], session[1], session[2], session[3]), set()).add(other)
        sources = {source.name: source for source in self.sources}
        return {
            number: sources[source].shown_id(
                session_id, os.fsdecode(path), taken="dsh-tui" in others, twice=source in others
            )
            for (number, session_id, path, source), others in namesakes.items()
            if source in sources
        }

    @staticmethod
    def _texts(db: sqlite3.Connection, number: int) -> tuple[str, str]:
        text, parts = db.execute("SELECT text, parts FROM said WHERE rowid = ?", (number,)).fetchone()
        return text, parts

    def _forget(self, db: sqlite3.Connection, paths: Iterable[str]) -> None:
        gone = [(os.fsencode(path),) for path in paths]
        if gone:
            with _transaction(db):
                db.executemany(
                    "DELETE FROM said WHERE rowid = (SELECT number FROM session WHERE path = ?)", gone
                )
                db.executemany("DELETE FROM session WHERE path = ?", gone)

    def _put(
        self, db: sqlite3.Connection, entries: Iterator[_Entry | None], stopped: Callable[[], bool]
    ) -> None:
        batch: list[_Entry] = []
        due = time.monotonic() + BATCH_SECONDS
        for entry in entries:
            if entry is not None:
                batch.append(entry)
            if stopped():
                break
            if time.monotonic() >= due:
                _put_batch(db, batch)
                batch.clear()
                due = time.monotonic() + BATCH_SECONDS
        _put_batch(db, batch)


def _holders(logs: Iterable[tuple[FoundLog, LogSource]]) -> dict[str, str]:
    """By session id: who else writes it. Where ids are in two homes, ours is the one that can be held."""
    held: dict[str, str] = {}
    for log, source in logs:
        if log.locked and (holder := source.holder(log.path)) is not None:
            held[source.summary(log.path).id] = holder
    return held


def _busy(row: SessionRow, holder: str) -> SessionRow:
    return row._replace(status="busy", note=f"in use by {holder}") if row.status == "ok" else row


def _put_batch(db: sqlite3.Connection, batch: Sequence[_Entry]) -> None:
    if not batch:
        return
    with _transaction(db):
        for entry in batch:
            row = entry.row
            fields = [_storable(getattr(row, name)) for name in _COLUMNS]
            known = (os.fsencode(entry.log.path), entry.log.token, entry.text is not None)
            number: int = db.execute(_PUT_ROW, (*known, *fields)).fetchone()[0]
            text = entry.text
            if text is not None:
                db.execute("DELETE FROM said WHERE rowid = ?", (number,))
                db.execute(
                    "INSERT INTO said (rowid, text, short, parts) VALUES (?, ?, ?, ?)",
                    (number, text.text, text.short, text.parts),
                )


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("UPDATE state SET generation = generation + 1")
    except BaseException:  # raised again; what was begun is undone first
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _row_entry(log: FoundLog, source: LogSource) -> _Entry | None:
    return _entry(log, source, lambda: (source.summary(log.path), None))


def _whole_entry(log: FoundLog, source: LogSource) -> _Entry | None:
    def read() -> tuple[SessionSummary, SearchText | None]:
        whole = source.whole(log.path)
        return whole.summary, search_text(whole.summary.title, whole.loaded)

    return _entry(log, source, read)


def _entry(
    log: FoundLog, source: LogSource, read: Callable[[], tuple[SessionSummary, SearchText | None]]
) -> _Entry | None:
    """None for a log that is gone meanwhile."""
    try:
        summary, text = read()
    except Exception as error:  # noqa: BLE001  # whatever one log does, the others are listed
        _log.warning("session log %s: %s", log.path, error)
        try:
            why = error.message if isinstance(error, PersistenceError) else f"cannot be read: {error!r}"
            summary, text = source.unreadable(log.path, why), SearchText("", "", "[]")
        except OSError:
            return None
    return _Entry(log, session_row(summary)._replace(source=source.name), text)


def _storable(value: object) -> object:
    """A value that SQLite takes: also no numbers beyond 64 bits."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int):
        return max(-_LARGEST, min(value, _LARGEST))
    return value


__all__ = ["IndexUnavailableError", "SessionIndex"]
