"""A place with logs as the derived index sees it: where they are, and what is in one.

One for our own home, one for each foreign one. Source: design §3.4, §3.7.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from dsh_tui.engine.persistence.stored import LoadedSession, SessionSummary
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import SessionHeader

SourceName: TypeAlias = Literal["dsh-tui", "dsh"]


class FoundLog(NamedTuple):
    """A log file as a listing of folders shows it."""

    path: str
    token: str
    """Changes whenever the bytes do. There is no order."""
    mtime_ns: int
    locked: bool = False
    """Whether somebody may hold it; `LogSource.holder` knows."""


@dataclass(frozen=True, slots=True)
class WholeLog:
    """A log that was read from end to end, and its row."""

    summary: SessionSummary
    loaded: LoadedSession | None
    """None where nothing but the row can be said."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A few kinds of events out of a log, in order."""

    header: SessionHeader
    events: Iterable[Event]


class LogSource(Protocol):
    """One home of logs in one format. All calls block; reading changes nothing."""

    @property
    def name(self) -> SourceName: ...

    def scan(self) -> Iterator[FoundLog]:
        """Every log, without opening any. What cannot be listed is passed over."""
        ...

    def summary(self, path: str) -> SessionSummary:
        """The row, reading no more than needed. Never raises for a log that is there, however damaged.

        Raises:
            PersistenceError: it cannot be read at all.
        """
        ...

    def whole(self, path: str) -> WholeLog:
        """Row and log. Raises as `summary` does."""
        ...

    def excerpt(self, path: str, types: Collection[str]) -> Excerpt:
        """Header and events of these types, reading no more than needed. What can't be read is left out.

        Raises:
            PersistenceError: it cannot be read at all.
        """
        ...

    def holder(self, path: str) -> str | None:
        """Who else writes the log just now, and until when."""
        ...

    def shown_id(self, session_id: str, path: str, *, taken: bool, twice: bool) -> str:
        """The id in a list, where one of ours has the same (``taken``) or another one here (``twice``)."""
        ...

    def unreadable(self, path: str, why: str) -> SessionSummary:
        """The row of a log that gives none."""
        ...
