"""The file of the index: opened, made, and made anew when it is broken or of another version.

WAL lets readers read while one writes; a second writer waits. Every use opens its own
connection, so that threads and processes share nothing but the file. Nothing else opens a file that is
in use: closing it would drop all locks that this process has on it, and another process would then take
away the WAL under its feet. Source: design §3.7.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.atomic_file import temp_of
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.file_lock import take_lock

VERSION: Final = 5
"""Grows with every change of `SCHEMA` or of what is put in; an index of another version is made anew."""
BUSY_SECONDS: Final = 10.0

# The generation begins anywhere: one that was counted in a deleted file must not come again in the next.
SCHEMA: Final = """
CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    token TEXT NOT NULL,
    whole INTEGER NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    cwd TEXT NOT NULL,
    project TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    status TEXT NOT NULL,
    source TEXT NOT NULL,
    parent TEXT,
    origin TEXT,
    note TEXT NOT NULL
);
CREATE INDEX session_id ON session (id);
CREATE VIRTUAL TABLE said USING fts5(text, short, parts UNINDEXED, tokenize = 'trigram');
CREATE TABLE state (generation INTEGER NOT NULL);
INSERT INTO state VALUES (abs(random() / 2));
"""

_MODE: Final = 0o600
_OTHERS: Final = 0o077

_log = logging.getLogger(__name__)


class IndexUnavailableError(HarnessError):
    """The index can't be used, and why. Sessions are not touched by it; they can be listed without."""

    code = "INDEX_UNAVAILABLE"


class Database:
    """The index file. Private to the user; nothing in it that is not in a log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock_s = BUSY_SECONDS
        """Longest that another process is waited for, where the file must be taken away."""

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """A connection to a sound index, in autocommit.

        Raises:
            IndexUnavailableError: also for what goes wrong inside the ``with``.
        """
        try:
            connection = self._connect()
            try:
                yield connection
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                connection.close()
                self._make_way(str(error))
                raise IndexUnavailableError(
                    f"the index {self.path} was damaged and is made anew: {error}"
                ) from error
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            raise IndexUnavailableError(f"the index {self.path} can't be used: {error}") from error
        except OSError as error:
            raise IndexUnavailableError(f"the index {self.path} can't be used: {error.strerror}") from error

    def remove(self) -> None:
        """Delete it; the next use makes a new one.

        Raises:
            OSError: it can't be deleted.
        """
        self._make_way("it is to be made anew")

    def _connect(self) -> sqlite3.Connection:
        for _ in range(2):
            try:
                connection = self._opened()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._make_way(str(error))
            else:
                if connection is not None:
                    return connection
        connection = self._opened()
        if connection is None:
            raise sqlite3.OperationalError("another process keeps making it anew")
        return connection

    def _opened(self) -> sqlite3.Connection | None:
        """A connection, or None where the index was of another version and is gone now."""
        self._make_private()
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                version = _lay_out(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -16000")
            connection.execute("PRAGMA mmap_size = 268435456")
            if version == VERSION:
                return connection
        except BaseException:  # raised again; what was begun is undone first
            connection.close()
            raise
        connection.close()
        self._make_way(f"it is of version {version}")
        return None

    def _make_private(self) -> None:
        """See that there is a file which only the user reads; SQLite would make it by the umask.

        Its siblings get the mode of the file itself.
        """
        try:
            found = self.path.stat()
        except FileNotFoundError:
            made = temp_of(self.path)
            os.close(os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE))
            try:
                with contextlib.suppress(FileExistsError):
                    os.link(made, self.path)
            finally:
                made.unlink()
            return
        if not stat.S_ISREG(found.st_mode):
            raise sqlite3.DatabaseError("it is no file")
        if found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
            self.path.chmod(_MODE)

    def _make_way(self, why: str) -> None:
        """Delete the file that is there now, unless another process has done so meanwhile."""
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not take_lock(fd, self.lock_s):
                raise IndexUnavailableError(f"the index {self.path} is locked by another program")
            with contextlib.suppress(FileNotFoundError):
                if os.fstat(fd).st_ino == self.path.stat().st_ino:
                    _log.info("the index %s is made anew: %s", self.path, why)
                    for suffix in ("-wal", "-shm", ""):
                        Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        finally:
            os.close(fd)


def _lay_out(connection: sqlite3.Connection) -> int:
    """Make the tables, unless another process does so first; the version that is there then."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        for statement in SCHEMA.split(";\n"):
            connection.execute(statement)
        version = VERSION
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    return version
