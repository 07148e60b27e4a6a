"""The index of stored sessions: what is known at once, brought up to date behind that, searched.

Rows come first and texts behind them, the newest sessions first, in many small transactions: whoever
reads meanwhile sees what is there so far. A log that can't be read is a row that says so.
Every method blocks and may be called from any thread. Source: design §3.7.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.real_folder import real_folder
from dsh_tui.engine.persistence.log_source import FoundLog, LogSource
from dsh_tui.engine.projection.views import SessionHits, SessionRow
from dsh_tui.engine.session_index.database import Database, IndexUnavailableError
from dsh_tui.engine.session_index.entry import COLUMNS, Entry, put_batch, row_entry, transaction, whole_entry
from dsh_tui.engine.session_index.query import Query, snippet

BATCH_SECONDS: Final = 0.2
"""How long rows are gathered before others may see them."""
MOST_HITS: Final = 100

_ROWS: Final = f"SELECT {', '.join(COLUMNS)}, '' FROM session ORDER BY number"  # noqa: S608  # our own names
_SEARCH: Final = """
    WITH hit AS (
        SELECT number, id, updated_at, count(*) OVER () AS total
        FROM said JOIN session ON session.number = said.rowid
        WHERE said MATCH ? {place} ORDER BY updated_at DESC LIMIT ?
    )
    SELECT hit.number, hit.id, hit.total, said.text, said.parts
    FROM hit JOIN said ON said.rowid = hit.number ORDER BY hit.updated_at DESC
"""
"""In one query: for each row that is asked for, the screen's thread has to be waited for."""
_NAMESAKES: Final = """
    SELECT one.number, one.id, one.path, one.source, other.source
    FROM session AS one JOIN session AS other ON other.id = one.id AND other.number <> one.number
    WHERE one.id IN (SELECT id FROM session GROUP BY id HAVING count(*) > 1)
"""
_PLACES: Final = "SELECT path, token, cwd, origin FROM session WHERE source = ?"
_PATHS: Final = "SELECT number, path FROM session ORDER BY number"


class SessionIndex:
    """All stored sessions of some sources. Derived: deleting its file loses nothing but time."""

    def __init__(self, path: Path, sources: Sequence[LogSource]) -> None:
        self._database = Database(path)
        self.sources = sources
        self._refreshing = threading.Lock()
        self._held: dict[str, str] = {}
        self._named: tuple[int, dict[int, str]] = (-1, {})

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
            names, held = self._names(db), self._held
            paths = db.execute(_PATHS).fetchall() if names or held else []
        for at, (number, path) in enumerate(paths):
            if number in names:
                rows[at] = rows[at]._replace(id=names[number])
            if (holder := held.get(os.fsdecode(path))) is not None:
                rows[at] = _busy(rows[at], holder)
        rows.sort(key=attrgetter("id"))
        rows.sort(key=attrgetter("updated_at"), reverse=True)
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
            self._put(db, (row_entry(log, source) for log, source in new), stopped)
            self._put(db, (whole_entry(log, source) for log, source in unread), stopped)

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
            db.execute("BEGIN")
            places = [] if cwd is None else _spellings(db, real_folder(cwd))
            place = "" if cwd is None else f"AND session.cwd IN ({', '.join('?' * len(places))})"
            found = db.execute(_SEARCH.format(place=place), (query.match, *places, limit)).fetchall()
            names = self._names(db)
        hits = [
            snippet(names.get(number, session_id), query.terms, text, parts)
            for number, session_id, _, text, parts in found
        ]
        return SessionHits(tuple(hits), found[0][2] if found else 0)

    def last_in(self, cwd: str, source: LogSource) -> str | None:
        """The log of a directory that was written last; forks count, subagents don't.

        Of logs that are not known, the newest are read until one is found; then they are known.
        """
        here, known, read = real_folder(cwd), self._places(source), list[Entry]()
        found: str | None = None
        for log in sorted(source.scan(), key=lambda log: -log.mtime_ns):
            place = known.get((log.path, log.token))
            if place is None:
                entry = row_entry(log, source)
                if entry is None:
                    continue
                read.append(entry)
                place = entry.row.cwd, entry.row.origin
            if place[1] is None and real_folder(place[0]) == here:
                found = log.path
                break
        with contextlib.suppress(IndexUnavailableError), self._database.open() as db:
            put_batch(db, read)
        return found

    # Parts

    def _places(self, source: LogSource) -> dict[tuple[str, str], tuple[str, str | None]]:
        """Directory and origin by log and token, as far as they are known."""
        with contextlib.suppress(IndexUnavailableError), self._database.open() as db:
            rows = db.execute(_PLACES, (source.name,)).fetchall()
            return {(os.fsdecode(path), token): (cwd, origin) for path, token, cwd, origin in rows}
        return {}

    def _state(self, db: sqlite3.Connection) -> tuple[int, dict[str, str]]:
        return _generation(db), self._held

    def _names(self, db: sqlite3.Connection) -> dict[int, str]:
        """How sessions that have a namesake are shown, by number."""
        generation, (known, names) = _generation(db), self._named
        if generation != known:
            names = self._shown_ids(db)
            self._named = generation, names
        return names

    def _shown_ids(self, db: sqlite3.Connection) -> dict[int, str]:
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

    def _forget(self, db: sqlite3.Connection, paths: Iterable[str]) -> None:
        gone = [(os.fsencode(path),) for path in paths]
        if gone:
            with transaction(db):
                db.executemany(
                    "DELETE FROM said WHERE rowid = (SELECT number FROM session WHERE path = ?)", gone
                )
                db.executemany("DELETE FROM session WHERE path = ?", gone)

    def _put(
        self, db: sqlite3.Connection, entries: Iterator[Entry | None], stopped: Callable[[], bool]
    ) -> None:
        batch: list[Entry] = []
        due = time.monotonic() + BATCH_SECONDS
        for entry in entries:
            if entry is not None:
                batch.append(entry)
            if stopped():
                break
            if time.monotonic() >= due:
                put_batch(db, batch)
                batch.clear()
                due = time.monotonic() + BATCH_SECONDS
        put_batch(db, batch)


def _spellings(db: sqlite3.Connection, folder: str) -> list[str]:
    """The directories of sessions that are this one, links being where they lead."""
    return [cwd for (cwd,) in db.execute("SELECT DISTINCT cwd FROM session") if real_folder(cwd) == folder]


def _generation(db: sqlite3.Connection) -> int:
    number: int = db.execute("SELECT generation FROM state").fetchone()[0]
    return number


def _holders(logs: Iterable[tuple[FoundLog, LogSource]]) -> dict[str, str]:
    """By log: who else writes it."""
    held: dict[str, str] = {}
    for log, source in logs:
        if log.locked and (holder := source.holder(log.path)) is not None:
            held[log.path] = holder
    return held


def _busy(row: SessionRow, holder: str) -> SessionRow:
    return row._replace(status="busy", note=f"in use by {holder}") if row.status == "ok" else row


__all__ = ["IndexUnavailableError", "SessionIndex"]
