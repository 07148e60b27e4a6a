"""One writer's lease of one log: taken, kept alive, lost for good or given back.

Renewals and physical writes stand in one queue, so that a lease is never lost in the middle of an
append. The timer runs on monotonic time, expiry is read off the wall clock: a holder that was
suspended finds itself expired and never comes back to life. The file of a lost lease is left alone.
Source: core spec §4.6.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shlex
from collections.abc import Callable
from typing import TypeVar

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.persistence.errors import (
    AlreadyOwnedError,
    SessionOwnershipLostError,
    WriteFailedError,
)
from dsh_tui.engine.persistence.lease.lock_file import LockFile
from dsh_tui.engine.persistence.lease.record import Found, Holder, LeaseRecord, Stamp, holder_in

_TOKEN_BYTES = 24
_ATTEMPTS = 8  # each further one means that another process came and went in between

_log = logging.getLogger(__name__)

T = TypeVar("T")


class FileLease:
    """Implements `Lease` on a `LockFile`. Times are in milliseconds."""

    def __init__(
        self,
        lock: LockFile,
        *,
        ttl_ms: int,
        renew_interval_ms: int,
        clock: Clock,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        """``on_end`` is called once, after the lease was given back."""
        self._lock, self._clock, self._on_end = lock, clock, on_end
        self._ttl, self._interval = ttl_ms, renew_interval_ms / 1000
        self._token, self._pid = secrets.token_hex(_TOKEN_BYTES), os.getpid()
        self._expires_at = 0
        self._stamp: Stamp | None = None
        self._queue = asyncio.Lock()
        self._timer: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[SessionOwnershipLostError], None]] = []
        self._released = False
        self.lost: SessionOwnershipLostError | None = None
        """Why nothing can be written any more; None while it is held."""

    async def take(self) -> None:
        """Get hold of it.

        Raises:
            AlreadyOwnedError: another process holds it.
            WriteFailedError: the file system refused.
        """
        try:
            await to_the_end(self._take)
        except asyncio.CancelledError:
            self.give_back_now()  # nobody is left who would
            raise
        self._timer = asyncio.get_running_loop().create_task(self._keep())

    async def write(self, work: Callable[[], T]) -> T:
        """See `Lease.write`."""
        async with self._queue:
            if self.lost is not None:
                raise self.lost
            try:
                return await to_the_end(lambda: self._write(work))
            except SessionOwnershipLostError as error:
                self._lose(error)
                raise

    def when_lost(self, listener: Callable[[SessionOwnershipLostError], None]) -> None:
        """See `Lease.when_lost`."""
        if self.lost is None:
            self._listeners.append(listener)
        else:
            listener(self.lost)

    async def release(self) -> None:
        """See `Lease.release`."""
        if self._released:
            return
        self._released = True
        async with self._queue:
            self._stop_timer()
            if self.lost is None:
                await to_the_end(self.give_back_now)
        self._on_end()

    def give_back_now(self) -> None:
        """Take the record away if it is ours and alive; blocks, never raises, ends the lease."""
        if self.lost is not None or os.getpid() != self._pid:
            return
        self.lost = SessionOwnershipLostError(f"session {self._session_id} was closed", path=self._lock.path)
        try:
            if self._is_own(self._lock.read()):
                self._lock.remove()
        except OSError as error:
            _log.warning("%s: the lease could not be given back: %s", self._lock.path, error)

    # In a thread

    def _take(self) -> None:
        try:
            for _ in range(_ATTEMPTS):
                record = self._claim()
                stamp = self._lock.create(record)
                if stamp is None:
                    stamp = self._take_over(record)
                if stamp is not None:
                    self._hold(record, stamp)
                    return
        except OSError as error:
            raise WriteFailedError(
                f"cannot take the lease of session {self._session_id} ({self._lock.path}): {_why(error)}",
                path=self._lock.path,
            ) from error
        raise self._owned(Holder(None, None))

    def _take_over(self, record: LeaseRecord) -> Stamp | None:
        """Replace a record that has run out; None if it went away meanwhile."""
        found = self._lock.read()
        if found is None:
            return None
        holder = holder_in(found, self._clock.now_ms(), self._ttl)
        if holder is not None:
            raise self._owned(holder)
        stamp = self._lock.replace(record)
        found = self._lock.read()
        if found is not None and not self._is_own(found):  # another taker came last, and it wins
            raise self._owned(holder_in(found, self._clock.now_ms(), self._ttl) or Holder(None, None))
        return None if found is None else stamp

    def _write(self, work: Callable[[], T]) -> T:
        # Two looks before each write keep the time short in which two could write: there is no fence.
        if self._clock.now_ms() >= self._expires_at or self._stamp_there() != self._stamp:
            self._renew()
        return work()

    def _stamp_there(self) -> Stamp | None:
        try:
            return self._lock.stamp()
        except OSError:
            return None  # the renewal that follows says what is wrong

    def _renew(self) -> None:
        try:
            found = self._lock.read()
            if not self._is_own(found):
                raise self._lost_because(self._what_happened(found))
            record = self._claim()
            self._hold(record, self._lock.renew(record))
        except OSError as error:
            raise self._lost_because(f"its lease could not be renewed ({_why(error)})") from error

    def _claim(self) -> LeaseRecord:
        now = self._clock.now_ms()
        return LeaseRecord(token=self._token, pid=self._pid, renewed_at=now, expires_at=now + self._ttl)

    def _hold(self, record: LeaseRecord, stamp: Stamp) -> None:
        self._expires_at, self._stamp = record.expires_at, stamp

    def _is_own(self, found: Found | None) -> bool:
        """Ours, and not run out."""
        record = None if found is None else found.record
        return record is not None and record.token == self._token and self._clock.now_ms() < record.expires_at

    # Losing it

    async def _keep(self) -> None:
        while self.lost is None:
            await self._clock.sleep(self._interval)
            async with self._queue:
                if self.lost is None:
                    try:
                        await to_the_end(self._renew)
                    except SessionOwnershipLostError as error:
                        self._lose(error)

    def _lose(self, error: SessionOwnershipLostError) -> None:
        self.lost = error
        self._stop_timer()
        _log.warning("%s: %s", self._lock.path, error.message)
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener(error)

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer is not asyncio.current_task():
            timer.cancel()

    # Saying it

    @property
    def _session_id(self) -> str:
        return self._lock.path.parent.name

    def _owned(self, holder: Holder) -> AlreadyOwnedError:
        hint = f"; if no dsh-tui runs, delete {self._lock.path}" if holder.until is None else ""
        return AlreadyOwnedError(
            f"session {self._session_id} is in use by {holder}{hint}; "
            f"`dsh-tui --fork {shlex.quote(self._session_id)}` works in a copy",
            path=self._lock.path,
            pid=holder.pid,
            expires_at=holder.until,
            retry_after_ms=None if holder.until is None else max(0, holder.until - self._clock.now_ms()),
        )

    def _what_happened(self, found: Found | None) -> str:
        if found is None:
            return "its lease was taken away"
        if found.record is None:
            return "its lease was overwritten"
        if found.record.token != self._token:
            return f"process {found.record.pid} has taken it over"
        return "its lease ran out while this program was asleep or stopped"

    def _lost_because(self, why: str) -> SessionOwnershipLostError:
        return SessionOwnershipLostError(
            f"this session can no longer be written here: {why}",
            path=self._lock.path,
        )


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
