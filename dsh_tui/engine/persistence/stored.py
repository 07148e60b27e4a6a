"""What a reader says of a stored session: the log as it was read, or one row of a list.

No kernel is needed for it, so that listing, showing and first paint need no boot.
Source: core spec §4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import SessionHeader
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.repair import closers

StoredStatus: TypeAlias = Literal["ok", "damaged", "busy", "foreign-version"]


@dataclass(frozen=True, slots=True)
class Revision:
    """Which bytes were read. Equal revisions mean the same bytes; there is no order."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing a reader must be told about a log, in a sentence. ``line`` counts from 1."""

    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSession:
    """A log as it was read. ``damaged`` logs may have gaps in their seqs and are never written."""

    header: SessionHeader
    events: Sequence[Event]
    notices: tuple[Notice, ...] = ()
    status: StoredStatus = "ok"
    path: Path | None = None
    end: int = 0
    """Bytes of the file that hold good records; what follows is a torn tail."""
    revision: Revision | None = None
    closed: int = 0
    """How many of the last events are closers that are not in the file."""
    beyond: Sequence[Event] | None = None
    """Of a damaged tail, which is left out: the good records in it. None where there is no such tail."""
    dialect: str = ""
    """Which log of another program it was read from, such as ``dsh v4``; empty for one of ours."""

    @property
    def damaged(self) -> bool:
        """Whether something is wrong with it that no crash leaves, though it may be continued."""
        return self.status == "damaged" or self.beyond is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """One stored session in a list. Times are epoch milliseconds."""

    id: str
    path: Path
    created_at: int
    updated_at: int
    revision: Revision
    status: StoredStatus = "ok"
    title: str = ""
    """Last title in the log, else the first words of the first message, else empty."""
    cwd: str | None = None
    turns: int | None = None
    """Turns that a message triggered; None where counting would mean reading a large file."""
    parent_session: str | None = None
    origin: str | None = None
    note: str = ""
    """Why it is not ``ok``, in a few words."""
    source: Literal["dsh-tui", "dsh"] = "dsh-tui"
    """Whose home it lies in. Sessions of ``dsh`` are only read."""


def with_closers(loaded: LoadedSession) -> LoadedSession:
    """The same log with an open turn closed in memory."""
    ending = closers(loaded.events, lost=loaded.damaged)
    if not ending:
        return loaded
    events: Sequence[Event]
    if isinstance(loaded.events, EventLog):
        events = EventLog([*loaded.events.slots(), *ending])
    else:
        events = (*loaded.events, *ending)
    return replace(loaded, events=events, closed=len(ending))


def told(notices: Sequence[Notice]) -> str:
    """All of them in one line."""
    return "; ".join(notice.text for notice in notices)


def salvaged(loaded: LoadedSession) -> Sequence[Event]:
    """Everything that can be saved of it: also what lies beyond a damaged tail's first bad line."""
    if loaded.beyond is None:
        return loaded.events
    return (*loaded.events[: len(loaded.events) - loaded.closed], *loaded.beyond)
