"""Sessions on disk, by id: binds live ones to their files and reads stored ones.

A session that appears under an id with a file either goes on in that file (it was prepared,
or its events begin with the file's) or is vetoed; a file is never overwritten.
Source: core spec §4.1, §4.2.
"""

from __future__ import annotations

import asyncio
import builtins
import functools
import logging
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.persistence.dialects.originals import OriginalSessions
from dsh_tui.engine.persistence.errors import (
    AlreadyStoredError,
    NotStoredError,
    PersistenceError,
    ReadOnlyLogError,
    SessionLiveError,
)
from dsh_tui.engine.persistence.jsonl.binding import Binding
from dsh_tui.engine.persistence.jsonl.disk import SYSTEM_DISK, Disk
from dsh_tui.engine.persistence.jsonl.mending import check_writable, mend, needs_mending
from dsh_tui.engine.persistence.jsonl.paths import find_log, id_of, log_path
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.summary import list_summaries
from dsh_tui.engine.persistence.jsonl.writer import LogFile
from dsh_tui.engine.persistence.seam import (
    Lease,
    Leases,
    LoadedSession,
    Notice,
    SessionSummary,
    with_closers,
)
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session

_MOST_PREPARED = 8

_log = logging.getLogger(__name__)

StateListener = Callable[[str, PersistenceError | None], None]
MendedListener = Callable[[str, Sequence[Notice]], None]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A mended log that waits for its session, and the lease it was mended under."""

    loaded: LoadedSession
    lease: Lease | None


class JsonlPersistence:
    """Service ``persistence`` on JSON-lines files."""

    def __init__(
        self,
        root: Path,
        live: Callable[[str], Session | None],
        *,
        clock: Clock,
        window: float,
        leases: Callable[[], Leases | None] = lambda: None,
        on_state: StateListener = lambda _id, _error: None,
        on_mended: MendedListener = lambda _id, _notices: None,
        disk: Disk = SYSTEM_DISK,
        originals: OriginalSessions | None = None,
    ) -> None:
        """``live`` finds live sessions; ``window`` is in seconds; ``originals`` are listed and read too."""
        self.root = root
        self._live = live
        self._clock, self._window = clock, window
        self._leases, self._on_state, self._disk = leases, on_state, disk
        self._on_mended = on_mended
        self._originals = originals
        self._bindings: dict[str, Binding] = {}
        self.unsaved: dict[str, PersistenceError] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._prepared: OrderedDict[str, _Prepared] = OrderedDict()
        # Weak: a lock lasts as long as somebody holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # Live sessions

    def bind(self, session: Session) -> None:
        """Give a live session its file.

        Raises:
            PersistenceError: another log has that id; nothing was changed.
        """
        session_id = session.id
        prepared = self._prepared.get(session_id)
        path = find_log(self.root, session_id)
        if path is None:
            file, written = LogFile(self._new_path(session), disk=self._disk), 0
        else:
            loaded = prepared.loaded if prepared is not None else read_log(path, session_id)
            _check_prefix(loaded, session, trusted=prepared is not None)
            file, written = self._adopt(loaded), len(loaded.events)
        self._prepared.pop(session_id, None)  # only now: after a veto the lease is still ours to give back
        binding = Binding(
            session,
            file,
            clock=self._clock,
            window=self._window,
            written=written,
            leases=self._leases,
            lease=None if prepared is None else prepared.lease,
            on_state=lambda error: self._on_state(session_id, error),
        )
        self._bindings[session_id] = binding
        binding.begin()

    def note(self, session: Session, _event: Event) -> None:
        """An event was committed."""
        binding = self._bindings.get(session.id)
        if binding is not None:
            binding.touch()

    async def flush_session(self, session: Session) -> None:
        """Make one session durable."""
        binding = self._bindings.get(session.id)
        if binding is not None and binding.session is session:
            await binding.flush()

    def release(self, session: Session) -> asyncio.Task[None] | None:
        """Drain and let go of a session that has ended."""
        binding = self._bindings.get(session.id)
        if binding is None or binding.session is not session:
            return None
        del self._bindings[session.id]
        task = asyncio.get_running_loop().create_task(self._end(binding))
        self._closing[session.id] = task
        task.add_done_callback(lambda _task: self._forget(session.id, task))
        return task

    async def flush(self) -> None:
        """Make every live session durable.

        Raises:
            PersistenceError: the first failure, after all have settled.
        """
        flushes = [binding.flush() for binding in self._bindings.values()]
        for result in await asyncio.gather(*flushes, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def close(self) -> None:
        """Drain everything and give every lease back."""
        for binding in tuple(self._bindings.values()):
            self.release(binding.session)
        await asyncio.gather(*self._closing.values())
        while self._prepared:
            await self._drop(self._prepared.popitem()[1])

    # Stored sessions

    def list(self) -> builtins.list[SessionSummary]:
        """Every stored session, newest first; what cannot be read at all is left out and logged."""
        rows = list_summaries(self.root, now_ms=self._clock.now_ms())
        own = {binding.path for binding in self._bindings.values()}
        own |= {prepared.loaded.path for prepared in self._prepared.values() if prepared.loaded.path}
        rows = [replace(row, status="ok", note="") if _busy_here(row, own) else row for row in rows]
        if self._originals is not None:
            rows += self._originals.list({id_of(row.path) for row in rows})
            rows.sort(key=lambda row: row.updated_at, reverse=True)
        return rows

    def locate(self, id: str) -> Path | None:  # noqa: A002  # the header's own word
        """The log file of that id."""
        binding = self._bindings.get(id)
        path = find_log(self.root, id) if binding is None else _there(binding.path)
        return self._originals.locate(id) if path is None and self._originals is not None else path

    def inspect(self, id: str) -> LoadedSession:  # noqa: A002  # as above
        """See `Persistence.inspect`."""
        session = self._live(id)
        if session is not None:
            return _snapshot(session, self._bindings.get(id))
        return with_closers(self._read(id))

    async def load(self, id: str) -> LoadedSession:  # noqa: A002  # as above
        """See `Persistence.load`."""
        session = self._live(id)
        if session is None:
            prepared = await self._mended(id)
            await self._drop(prepared)
            return prepared.loaded
        if session.open_turn is not None:
            raise SessionLiveError(f"session {id} is in turn {session.open_turn}; load it when it is idle")
        binding = self._bindings.get(id)
        if binding is not None:
            await binding.flush()
        return _snapshot(session, binding)

    async def prepare(self, id: str) -> LoadedSession:  # noqa: A002  # as above
        """See `Persistence.prepare`."""
        if self._live(id) is not None:
            raise SessionLiveError(f"session {id} is open in this process already")
        prepared = await self._mended(id)
        self._prepared[id] = prepared
        self._prepared.move_to_end(id)
        while len(self._prepared) > _MOST_PREPARED:
            await self._drop(self._prepared.popitem(last=False)[1])
        return prepared.loaded

    async def discard(self, id: str) -> None:  # noqa: A002  # as above
        """See `Persistence.discard`."""
        prepared = self._prepared.pop(id, None)
        if prepared is not None:
            await self._drop(prepared)

    def read_from(self, id: str, seq: int) -> Sequence[Event]:  # noqa: A002  # as above
        """See `Persistence.read_from`."""
        events = self._read(id).events
        valid = next((at for at, event in enumerate(events) if event.seq != at), len(events))
        return events[seq:valid]

    # Parts

    async def _mended(self, session_id: str) -> _Prepared:
        lock = self._locks.setdefault(session_id, asyncio.Lock())
        async with lock:
            closing = self._closing.get(session_id)
            if closing is not None:
                await asyncio.shield(closing)
            path = self._path_of(session_id)
            earlier = self._prepared.pop(session_id, None)
            lease = None if earlier is None else earlier.lease
            try:
                leases = self._leases()
                if lease is None and leases is not None:
                    lease = await leases.acquire(path)
                loaded = await asyncio.to_thread(read_log, path, session_id)
                check_writable(loaded)
                found = bool(loaded.notices)
                if needs_mending(loaded):
                    mending = functools.partial(mend, loaded, self._disk)
                    loaded = await (to_the_end(mending) if lease is None else lease.write(mending))
            except BaseException:  # raised again; what was begun is undone first
                if lease is not None:
                    await lease.release()
                raise
            if found:
                self._on_mended(session_id, loaded.notices)
            return _Prepared(loaded, lease)

    def _adopt(self, loaded: LoadedSession) -> LogFile:
        assert loaded.path is not None
        assert loaded.revision is not None
        revision = loaded.revision
        return LogFile.adopt(loaded.path, loaded.end, revision.size, revision.inode, disk=self._disk)

    def _new_path(self, session: Session) -> Path:
        return log_path(self.root, session.header.get("cwd"), session.id)

    def _path_of(self, session_id: str) -> Path:
        path = find_log(self.root, session_id)
        if path is None:
            if self._originals is not None and self._originals.locate(session_id) is not None:
                raise ReadOnlyLogError(
                    "a session of DeepSeek Harness, read-only: what is sent goes on in a copy"
                )
            raise NotStoredError(f"no stored session {session_id!r}")
        return path

    def _read(self, session_id: str) -> LoadedSession:
        """One of ours, else one of the original's."""
        path = find_log(self.root, session_id)
        if path is None and self._originals is not None:
            original = self._originals.read(session_id)
            if original is not None:
                return original
        return read_log(self._path_of(session_id), session_id)

    def _forget(self, session_id: str, task: asyncio.Task[None]) -> None:
        if self._closing.get(session_id) is task:
            del self._closing[session_id]

    async def _end(self, binding: Binding) -> None:
        session_id = binding.session.id
        try:
            await binding.close()
        except PersistenceError as error:
            self.unsaved[session_id] = error
            _log.error("session %s: %s", session_id, error.message)
        else:
            self.unsaved.pop(session_id, None)

    @staticmethod
    async def _drop(prepared: _Prepared) -> None:
        if prepared.lease is not None:
            await prepared.lease.release()


def _there(path: Path) -> Path | None:
    """The log of a live session, once something of it is written."""
    return path if path.is_file() else None


def _busy_here(row: SessionSummary, own: Container[Path]) -> bool:
    """Whether only this process itself keeps others from writing it."""
    return row.status == "busy" and row.path in own


def _snapshot(session: Session, binding: Binding | None) -> LoadedSession:
    return LoadedSession(
        header=session.header,
        events=session.events.prefix(len(session.events)),
        path=None if binding is None else binding.path,
    )


def _check_prefix(loaded: LoadedSession, session: Session, *, trusted: bool) -> None:
    stored, events = loaded.events, session.events
    fits = loaded.status == "ok" and loaded.header["id"] == session.id and len(stored) <= len(events)
    if fits and loaded.header.get("cwd") == session.header.get("cwd"):
        # A prepared log is the seed itself: one look at its end says that it is still the same one.
        start = max(0, len(stored) - 1) if trusted else 0
        if all(stored[at] == events[at] for at in range(start, len(stored))):
            return
    raise AlreadyStoredError(
        f"session {session.id} is stored already in {loaded.path}, with other events; "
        "resume it or choose another id",
        path=loaded.path,
    )
