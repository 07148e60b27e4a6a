"""A live session and its file: the log is written behind, under the lease, one write at a time.

The lease is taken before the first byte. Losing it, or meeting foreign bytes, is terminal:
every later flush says so, even one with nothing to write. Source: core spec §4.2, §4.6.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.persistence.errors import OwnershipLostError, PersistenceError
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
        self._lost: OwnershipLostError | None = None
        self._behind = WriteBehind(
            session.events, self._write, clock=clock, window=window, written=written, on_state=on_state
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

    def touch_if_behind(self) -> None:
        """Open a window for what the session brought along."""
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
                await self._behind.close()
        finally:
            self._file.close()
            if self._lease is not None:
                await self._lease.release()

    def _only_end_seed(self) -> bool:
        """A resumed session in which nothing has happened: its file stays as it is."""
        events, written = self.session.events, self._behind.written
        return 0 < written == len(events) - 1 and events[written].type == END_SEED

    async def _write(self, start: int, stop: int) -> None:
        if self._lost is not None:
            raise self._lost
        try:
            if self._lease is None:
                leases = self._leases()
                if leases is not None:
                    self._lease = await leases.acquire(self._file.path)
            else:
                await self._lease.check()
            await asyncio.to_thread(self._write_rows, start, stop)
        except OwnershipLostError as error:
            self._lost = error
            raise

    def _write_rows(self, start: int, stop: int) -> None:
        header = b"" if self._file.published else encode_header(self.session.header)
        self._file.append(encode_rows(self.session.events.rows(start, stop)), header=header)
