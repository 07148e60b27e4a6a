"""A live session and its file: the log is written behind, under the lease, one write at a time.

The lease is asked for when the session begins and held before the first byte. Losing it, or
meeting foreign bytes, is terminal: every later flush says so, even one with nothing to write.
Source: core spec §4.2, §4.6.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from pathlib import Path

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.persistence.errors import PersistenceError, SessionOwnershipLostError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.writer import LogFile
from dsh_tui.engine.persistence.seam import Lease, Leases
from dsh_tui.engine.persistence.write_behind import WriteBehind
from dsh_tui.engine.session.session import END_SEED, Session


class Binding:
    """Keeps the file of one live session. Events before ``written`` are in it already."""

    def __init__(
        self,
        session: Session,
        file: LogFile,
        *,
        clock: Clock,
        window: float,
        written: int,
        leases: Callable[[], Leases | None],
        lease: Lease | None,
        on_state: Callable[[PersistenceError | None], None],
    ) -> None:
        self.session = session
        self._file = file
        self._leases, self._lease = leases, lease
        self._on_state = on_state
        self._taking: asyncio.Task[None] | None = None
        self._lost: SessionOwnershipLostError | None = None
        self._behind = WriteBehind(
            session.events, self._write, clock=clock, window=window, written=written, on_state=self._tell
        )

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def written(self) -> int:
        """How many events are durable."""
        return self._behind.written

    def touch(self) -> None:
        """An event was committed."""
        self._behind.touch()

    def begin(self) -> None:
        """Take the lease, and open a window for what the session brought along.

        Nobody waits here: the first flush does, and says if the lease can't be had.
        """
        if self._lease is not None:
            self._lease.when_lost(self._lose)
        else:
            self._begin_taking()
        if self._behind.behind and not self._only_end_seed():
            self._behind.touch()

    async def flush(self) -> None:
        """Everything committed is durable when this returns.

        Raises:
            PersistenceError: it is not.
        """
        if self._lost is not None:
            raise self._lost
        if not self._only_end_seed():
            await self._behind.flush()

    async def close(self) -> None:
        """Drain, let go of the file and give the lease back, whatever the drain says.

        Raises:
            PersistenceError: the last events could not be written.
        """
        try:
            if self._lost is None and not self._only_end_seed():
                await self._behind.flush()
        finally:
            await self._behind.stop()
            self._file.close()
            if self._taking is not None:
                await asyncio.gather(self._require_lease(), return_exceptions=True)
            if self._lease is not None:
                await self._lease.release()

    def _only_end_seed(self) -> bool:
        """A resumed session in which nothing has happened: its file stays as it is."""
        events, written = self.session.events, self._behind.written
        return 0 < written == len(events) - 1 and events[written].type == END_SEED

    async def _write(self, start: int, stop: int) -> None:
        if self._lost is not None:
            raise self._lost
        rows = functools.partial(self._write_rows, start, stop)
        try:
            lease = await self._require_lease()
            await (to_the_end(rows) if lease is None else lease.write(rows))
        except SessionOwnershipLostError as error:
            self._lose(error)
            raise

    async def _require_lease(self) -> Lease | None:
        if self._lease is None:
            taking, self._taking = self._taking or self._begin_taking(), None
            if taking is not None:
                await taking
        return self._lease

    def _begin_taking(self) -> asyncio.Task[None] | None:
        leases = self._leases()
        if leases is not None:
            self._taking = asyncio.get_running_loop().create_task(self._take(leases))
        return self._taking

    async def _take(self, leases: Leases) -> None:
        self._lease = await leases.acquire(self._file.path)
        self._lease.when_lost(self._lose)

    def _lose(self, error: SessionOwnershipLostError) -> None:
        if self._lost is None:
            self._lost = error
            self._on_state(error)

    def _tell(self, error: PersistenceError | None) -> None:
        if self._lost is None:  # what follows the loss is no news
            self._on_state(error)

    def _write_rows(self, start: int, stop: int) -> None:
        header = b"" if self._file.published else encode_header(self.session.header)
        self._file.append(encode_rows(self.session.events.rows(start, stop)), header=header)
