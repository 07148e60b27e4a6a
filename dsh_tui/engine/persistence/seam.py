"""Persistence as the rest of the engine knows it: stored sessions by id.

Reading never changes a byte of a file. Only `load` and `prepare` write, under the lease,
and only to cut a torn tail and to close a turn that a crash left open.
Source: core spec §4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from dsh_tui.engine.kernel import Emit, ServiceKey
from dsh_tui.engine.persistence.errors import PersistenceError, SessionOwnershipLostError
from dsh_tui.engine.persistence.lease.record import Holder
from dsh_tui.engine.persistence.stored import (
    LoadedSession,
    Notice,
    Revision,
    SessionSummary,
    StoredStatus,
    with_closers,
)
from dsh_tui.engine.session.event import Event

__all__ = [
    "LEASES",
    "PERSISTENCE",
    "PERSISTENCE_MENDED",
    "PERSISTENCE_STATE",
    "Holder",
    "Lease",
    "Leases",
    "LoadedSession",
    "Notice",
    "Persistence",
    "Revision",
    "SessionSummary",
    "StoredStatus",
    "with_closers",
]

T = TypeVar("T")


class Persistence(Protocol):
    """Stored sessions. Published as service ``persistence``."""

    root: Path

    @property
    def unsaved(self) -> Mapping[str, PersistenceError]:
        """By session id: those that have ended and whose last events are in no file, and why."""
        ...

    def list(self) -> list[SessionSummary]:
        """All of them, newest first. One bad session is a row with a status, never an error."""
        ...

    def locate(self, id: str) -> Path | None:  # noqa: A002  # the header's own word
        """The log file of that id."""
        ...

    def inspect(self, id: str) -> LoadedSession:  # noqa: A002  # as above
        """The session with an open turn closed in memory; of a live one, its events as they are.

        Raises:
            PersistenceError: not there, or of a foreign version.
        """
        ...

    async def load(self, id: str) -> LoadedSession:  # noqa: A002  # as above
        """As `inspect`, and the cut and the closers are in the file when it returns.

        Raises:
            PersistenceError: also for damage before a finished turn, or a live session with an open turn.
        """
        ...

    async def prepare(self, id: str) -> LoadedSession:  # noqa: A002  # as above
        """As `load`, and the next session created with that id and these events goes on in the same file.

        Raises:
            PersistenceError: also for any live session of that id.
        """
        ...

    async def discard(self, id: str) -> None:  # noqa: A002  # as above
        """Give back what `prepare` reserved, if no session came of it."""
        ...

    def read_from(self, id: str, seq: int) -> Sequence[Event]:  # noqa: A002  # as above
        """Stored events from ``seq`` on, valid prefix only, no repair; past the end, none."""
        ...

    async def flush(self) -> None:
        """Everything of every live session is durable when this returns."""
        ...


class Lease(Protocol):
    """The right to write one session. Once lost, it is lost for good."""

    async def write(self, work: Callable[[], T]) -> T:
        """Run one physical write in a thread: the lease is sure right before, and not renewed meanwhile.

        If ``work`` raises `SessionOwnershipLostError` (it met foreign bytes), the lease is lost too.

        Raises:
            SessionOwnershipLostError: nothing was written, and nothing ever will be.
        """
        ...

    def when_lost(self, listener: Callable[[SessionOwnershipLostError], None]) -> None:
        """Call this once when the lease is lost, at once if it is."""
        ...

    async def release(self) -> None:
        """Give it back. A second call changes nothing; never raises."""
        ...


class Leases(Protocol):
    """Hands out leases. Optional service ``leases``; without it the process trusts to be alone."""

    async def acquire(self, path: Path) -> Lease:
        """The lease of the log at ``path`` (its directory may not be there yet).

        Raises:
            AlreadyOwnedError: another writer holds it.
            WriteFailedError: it could not be taken; later it may.
        """
        ...

    def close_now(self) -> None:
        """Give every lease back where nothing can be awaited: the process ends here."""
        ...

    def holder(self, path: Path) -> Holder | None:
        """Who holds the lease of the log at ``path``, by a look that takes nothing; None if nobody.

        Raises:
            OSError: it can't be seen.
        """
        ...


PERSISTENCE: ServiceKey[Persistence] = ServiceKey("persistence")
LEASES: ServiceKey[Leases] = ServiceKey("leases")
PERSISTENCE_STATE: Emit[[str, PersistenceError | None]] = Emit("persistence/state")
"""A session's writes began to fail (the error), or work again (None).

With `SessionOwnershipLostError` they never will."""
PERSISTENCE_MENDED: Emit[[str, Sequence[Notice]]] = Emit("persistence/mended")
"""A session is gone on with whose log is not as it was left: what was found, and what became of it."""
