"""Deleted sessions: moved aside as they are, so that deleting can be undone.

Each lies in a folder of its own, with a note of where it was. Nothing is ever taken away from
here but by the user. Source: design §5 (Sessions: delete with undo).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.atomic_file import fsync_dir, write_atomic
from dsh_tui.engine.base.private_folder import make_missing
from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.persistence.errors import AlreadyStoredError, NotStoredError, PersistenceError
from dsh_tui.engine.persistence.lease.record import LOCK_NAME

ORIGIN_NAME: Final = "deleted.json"
_CONTENT: Final = "session"
_LARGEST_NOTE: Final = 65_536


@dataclass(frozen=True, slots=True)
class Deleted:
    """One session in the trash."""

    session_id: str
    deleted_at: int
    """Epoch milliseconds."""
    origin: Path
    """The folder that it was."""
    folder: Path
    """Where it is now, with its note."""


class Trash:
    """A folder of deleted sessions. All calls block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, log: Path, session_id: str, now_ms: int) -> Deleted:
        """Move the session of a log here, under the id it is called by; the caller holds its lease.

        Raises:
            PersistenceError: it is where it was.
        """
        origin = log.parent
        place = self.folder / f"{now_ms}-{secrets.token_hex(4)}"
        deleted = Deleted(session_id, now_ms, origin, place)
        note = {"id": deleted.session_id, "deletedAt": now_ms, "origin": str(origin)}
        try:
            write_atomic(place / ORIGIN_NAME, json.dumps(note).encode() + b"\n")
            origin.rename(place / _CONTENT)
            (place / _CONTENT / LOCK_NAME).unlink(missing_ok=True)  # the lease was ours, and is over
            fsync_dir(place)
            fsync_dir(origin.parent)
        except OSError as error:
            self._drop_empty(place)
            raise PersistenceError(f"cannot delete {origin}: {_why(error)}; it is unchanged") from error
        return deleted

    def restore(self, session_id: str | None = None) -> Deleted:
        """Put one back where it was: the one deleted last, or the last of that id.

        Raises:
            NotStoredError: there is none.
            AlreadyStoredError: a session lies where it was.
            PersistenceError: it can't be moved.
        """
        newest = sorted(self.list(), key=lambda one: -one.deleted_at)
        one = next((one for one in newest if session_id in (None, one.session_id)), None)
        if one is None:
            what = "no deleted session" if session_id is None else f"no deleted session {session_id}"
            raise NotStoredError(f"{what} in {self.folder}")
        if one.origin.exists():
            raise AlreadyStoredError(f"{one.origin} is there already; nothing was put back", path=one.origin)
        try:
            gained = make_missing(one.origin.parent)
            (one.folder / _CONTENT).rename(one.origin)
            for folder in (one.origin.parent, *gained):
                fsync_dir(folder)
        except OSError as error:
            raise PersistenceError(f"cannot put {one.origin} back: {_why(error)}") from error
        self._drop_empty(one.folder)
        return one

    def list(self) -> Iterator[Deleted]:
        """All of them, in no order; what is not ours is passed over."""
        try:
            folders = list(self.folder.iterdir())
        except OSError:
            return
        for folder in folders:
            try:
                note = json.loads(read_regular(folder / ORIGIN_NAME, _LARGEST_NOTE))
                deleted = Deleted(str(note["id"]), int(note["deletedAt"]), Path(note["origin"]), folder)
            except (OSError, UnreadableError, ValueError, TypeError, KeyError, RecursionError):
                continue
            if (folder / _CONTENT).is_dir():
                yield deleted

    @staticmethod
    def _drop_empty(place: Path) -> None:
        try:
            (place / ORIGIN_NAME).unlink(missing_ok=True)
            place.rmdir()
        except OSError:
            return  # it holds something: then it stays


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
