"""Errors of sessions.

SessionError                 SESSION, or the code it was raised with
├── InvalidEventError        INVALID_EVENT     an event that must not enter a log
├── SurfaceError             INVALID_SURFACE   a surface marker that breaks the rules
├── InvalidHeaderError       INVALID_HEADER    a header line nobody could resume from
├── RequestHeaderError       CORRUPT_HEADER    a request-header history that does not fold
├── SeedError                INVALID_SEED      a seed that is not a log from its start
├── SessionDisposedError     SESSION_DISPOSED  an append after the end
├── StoreError               SESSION_NOT_FOUND, NOT_LIVE, ALREADY_EXISTS, INVALID_BOUNDARY, OPEN_TURN
└── PersistenceError         files of sessions (persistence.errors)
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class SessionError(HarnessError):
    """Anything wrong with a session or its log."""

    code = "SESSION"


class InvalidEventError(SessionError):
    """The event was refused; the log is as it was."""

    code = "INVALID_EVENT"


class SurfaceError(SessionError):
    """The event's surface marker or its sources break a rule; the log is as it was."""

    code = "INVALID_SURFACE"


class InvalidHeaderError(SessionError):
    """A session header with a missing or wrong field."""

    code = "INVALID_HEADER"


class RequestHeaderError(SessionError):
    """A request-header delta without a snapshot before it, or one that does not fit it."""

    code = "CORRUPT_HEADER"


class SeedError(SessionError):
    """A seed is not contiguous from 0, or one of its events would not be accepted by append."""

    code = "INVALID_SEED"


class SessionDisposedError(SessionError):
    """The session has ended; nothing can be added to it."""

    code = "SESSION_DISPOSED"


class StoreError(SessionError):
    """The store refused to create, find or fork a session; ``code`` says which rule it was."""
