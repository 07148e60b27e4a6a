"""What the index holds of one log: its row, and with it or later its text.

A log that can't be read is a row that says so. Source: design §3.7.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.log_source import FoundLog, LogSource
from dsh_tui.engine.persistence.stored import SessionSummary
from dsh_tui.engine.projection.views import SessionRow
from dsh_tui.engine.session_index.texts import SearchText, search_text, storable
from dsh_tui.engine.session_rows import session_row

COLUMNS: Final = SessionRow._fields[:-1]
"""All but what agents do now."""
_PUT_ROW: Final = f"""
    INSERT INTO session (path, token, whole, {", ".join(COLUMNS)})
    VALUES (?, ?, ?{", ?" * len(COLUMNS)})
    ON CONFLICT (path) DO UPDATE SET token = excluded.token, whole = excluded.whole,
    {", ".join(f"{name} = excluded.{name}" for name in COLUMNS)}
    RETURNING number
"""  # noqa: S608  # as above
_LARGEST: Final = 1 << 62

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be put in for one log; without text only the row."""

    log: FoundLog
    row: SessionRow
    text: SearchText | None


def row_entry(log: FoundLog, source: LogSource) -> Entry | None:
    """The row alone, reading no more than needed; None for a log that is gone meanwhile."""
    return _entry(log, source, lambda: (source.summary(log.path), None))


def whole_entry(log: FoundLog, source: LogSource) -> Entry | None:
    """Row and text; None as `row_entry`."""

    def read() -> tuple[SessionSummary, SearchText | None]:
        whole = source.whole(log.path)
        return whole.summary, search_text(whole.summary.title, whole.loaded)

    return _entry(log, source, read)


def _entry(
    log: FoundLog, source: LogSource, read: Callable[[], tuple[SessionSummary, SearchText | None]]
) -> Entry | None:
    try:
        summary, text = read()
    except Exception as error:  # noqa: BLE001  # whatever one log does, the others are listed
        _log.warning("session log %s: %s", log.path, error)
        try:
            why = error.message if isinstance(error, PersistenceError) else f"cannot be read: {error!r}"
            summary, text = source.unreadable(log.path, why), SearchText("", "", "[]")
        except OSError:
            return None
    return Entry(log, session_row(summary)._replace(source=source.name), text)


def put_batch(db: sqlite3.Connection, batch: Sequence[Entry]) -> None:
    """Put these in, in one transaction."""
    if not batch:
        return
    with transaction(db):
        for entry in batch:
            row = entry.row
            fields = [_storable(getattr(row, name)) for name in COLUMNS]
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
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, and another state of the index."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("UPDATE state SET generation = generation + 1")
    except BaseException:  # raised again; what was begun is undone first
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _storable(value: object) -> object:
    """A value that SQLite takes: also no numbers beyond 64 bits."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int):
        return max(-_LARGEST, min(value, _LARGEST))
    return value
