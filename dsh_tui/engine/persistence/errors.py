"""Errors of stored sessions. Each message is one line: what, where, what to do.

PersistenceError             PERSISTENCE
├── NotStoredError           SESSION_NOT_FOUND     no log of that id
├── AlreadyStoredError       ALREADY_EXISTS        a log of that id is there and is not this one
├── AlreadyOwnedError        ALREADY_OWNED         another process writes it; says until when
├── SessionOwnershipLostError OWNERSHIP_LOST       the right to write is gone for good; nothing was written
├── SessionLiveError         SESSION_LIVE          it is open here, so it cannot be loaded again
├── CorruptLogError          CORRUPT_LOG           damage before a finished turn; readable, not writable
├── FormatUnsupportedError   FORMAT_UNSUPPORTED    not a log of ours, or of a newer version
├── UnknownEventError        UNKNOWN_EVENT         an event type that nobody here knows
├── ReadOnlyLogError         READ_ONLY             a log of the original, which is never written
├── UnsafeIdError            UNSAFE_ID             an id that cannot name a directory
├── AmbiguousIdError         AMBIGUOUS_ID          logs of that id in several projects; says which
└── WriteFailedError         WRITE_FAILED          disk full or broken; what was acknowledged is safe
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.session.errors import SessionError


class PersistenceError(SessionError):
    """Anything wrong with a stored session. ``path`` is the file, where there is one."""

    code = "PERSISTENCE"

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class NotStoredError(PersistenceError):
    """There is no log of that id."""

    code = "SESSION_NOT_FOUND"


class AlreadyStoredError(PersistenceError):
    """A log of that id exists and does not begin with this session's events."""

    code = "ALREADY_EXISTS"


class AlreadyOwnedError(PersistenceError):
    """Another writer holds the session. ``retry_after_ms`` says when it may be free."""

    code = "ALREADY_OWNED"

    def __init__(
        self,
        message: str,
        *,
        path: Path | None = None,
        pid: int | None = None,
        expires_at: int | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message, path=path)
        self.pid, self.expires_at, self.retry_after_ms = pid, expires_at, retry_after_ms


class SessionOwnershipLostError(PersistenceError):
    """The log is no longer ours to write. Terminal for this writer; reading still works."""

    code = "OWNERSHIP_LOST"


class SessionLiveError(PersistenceError):
    """The session is live in this process."""

    code = "SESSION_LIVE"


class CorruptLogError(PersistenceError):
    """Damage before a finished turn. ``line`` is the first bad one, counted from 1; ``damage`` says what."""

    code = "CORRUPT_LOG"

    def __init__(
        self, message: str, *, path: Path | None = None, line: int | None = None, damage: str = ""
    ) -> None:
        super().__init__(message, path=path)
        self.line, self.damage = line, damage


class FormatUnsupportedError(PersistenceError):
    """The file is of another format or a version that this program does not know."""

    code = "FORMAT_UNSUPPORTED"


class UnknownEventError(PersistenceError):
    """The log holds events whose type is not registered and may not be skipped."""

    code = "UNKNOWN_EVENT"


class ReadOnlyLogError(PersistenceError):
    """The session is another program's: read here, and gone on from in a copy only."""

    code = "READ_ONLY"


class UnsafeIdError(PersistenceError):
    """The id is empty or too long to name a directory."""

    code = "UNSAFE_ID"


class AmbiguousIdError(PersistenceError):
    """Logs of that id lie under several projects, copied there by hand; nobody can say which is meant."""

    code = "AMBIGUOUS_ID"


class WriteFailedError(PersistenceError):
    """The operating system refused a write. Nothing acknowledged is lost; the next write tries again."""

    code = "WRITE_FAILED"

    def __init__(self, message: str, *, path: Path | None = None, reason: str = "") -> None:
        """``reason`` is what the operating system said."""
        super().__init__(message, path=path)
        self.reason = reason or message
