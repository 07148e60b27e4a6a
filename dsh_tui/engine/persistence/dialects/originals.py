"""The sessions of the original, as storage sees them: listed, found and read by id, never written.

An id that is taken here, or twice there, is shown with ``dsh:`` before it, so that every session in a list
can be opened by the id that the list gives. What reads logs is imported when there is one.
Source: design §3 row 4, §4 (sessions list).
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from dsh_tui.engine.persistence.dialects.paths import find_logs, iter_logs, unescape_id
from dsh_tui.engine.persistence.errors import AmbiguousIdError, PersistenceError
from dsh_tui.engine.persistence.jsonl.reader import revision_of
from dsh_tui.engine.persistence.stored import LoadedSession, SessionSummary

SCHEME = "dsh:"


class OriginalSessions:
    """All sessions below ``$DSH_HOME/sessions``. The folder need not be there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._rows: dict[Path, SessionSummary] = {}

    def list(self, taken: Collection[str] = ()) -> builtins.list[SessionSummary]:
        """Every session. One that can't be read is a row that says so. ``taken`` are ids in use."""
        rows = [row for path in iter_logs(self.root) if (row := self._row(path)) is not None]
        self._rows = {row.path: row for row in rows}
        count = Counter(row.id for row in rows)
        return [
            replace(row, id=shown_id(row.id, row.path, taken=row.id in taken, twice=count[row.id] > 1))
            for row in rows
        ]

    def locate(self, session_id: str) -> Path | None:
        """The log of that id, as a list shows it or as the original knows it.

        Raises:
            AmbiguousIdError: several projects have one, and the id names none of them.
        """
        plain = session_id.removeprefix(SCHEME)
        logs = find_logs(self.root, plain) if plain else []
        if len(logs) > 1:
            names = " or ".join(shown_id(plain, log, taken=False, twice=True) for log in logs)
            raise AmbiguousIdError(f"there are {len(logs)} sessions {session_id}; say which: {names}")
        found = logs[0] if logs else None
        if found is None and plain != session_id and "/" in plain:
            project, _, name = plain.partition("/")
            found = next((path for path in iter_logs(self.root) if _place(path) == (project, name)), None)
        return found

    def read(self, session_id: str) -> LoadedSession | None:
        """The session of that id; None if there is none.

        Raises:
            PersistenceError: it is of a newer version, or cannot be read.
        """
        path = self.locate(session_id)
        if path is None:
            return None
        from dsh_tui.engine.persistence.dialects.reader import read_original, under_id

        return under_id(read_original(path), session_id)

    def _row(self, path: Path) -> SessionSummary | None:
        from dsh_tui.engine.persistence.dialects.summary import read_whole, unreadable_summary

        try:
            known = self._rows.get(path)
            if known is not None and known.revision == revision_of(path.stat()):
                return known
            return read_whole(path)
        except PersistenceError as error:
            return unreadable_summary(path, error.message)
        except OSError:
            return None  # gone meanwhile


def shown_id(session_id: str, path: Path, *, taken: bool, twice: bool) -> str:
    """The id by which a list shows it: nobody else has it, and `OriginalSessions.locate` finds it."""
    if twice:
        return f"{SCHEME}{'/'.join(_place(path))}"
    return f"{SCHEME}{session_id}" if taken else session_id


def _place(path: Path) -> tuple[str, str]:
    return path.parent.parent.name, unescape_id(path.parent.name)
