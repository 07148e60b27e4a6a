"""A session that another process writes: read as it grows, until its lease is free.

Looked at once a second while it is on the screen, and never otherwise. Its log is read again only
when it has grown. Source: design §3 row 6; core spec §4.6.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.seam import Holder, Leases, LoadedSession, Persistence
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import Row

LOOK_SECONDS: Final = 1.0
CALM: Final = 10
"""How many times longer than a reading the pause after it is, at least."""
_MINUTE_MS: Final = 60_000


class BusySession:
    """What is known of it. ``events`` is a live view that grows."""

    def __init__(
        self, session_id: str, persistence: Persistence, leases: Leases, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self.session_id = session_id
        self.header: JsonObject
        self.events: Sequence[Event] = ()
        self._persistence, self._leases, self._clock = persistence, leases, clock
        self._slots: list[Row] = []
        self._path: Path
        self._size = -1
        self._holder: Holder | None = None
        self._trouble = ""
        self._stopped = False

    async def read(self) -> None:
        """Read its log and who holds it.

        Raises:
            PersistenceError: there is no log, or none that can be read.
        """
        loaded = await asyncio.to_thread(self._persistence.inspect, self.session_id)
        assert loaded.path is not None
        self.header, self._path = loaded.header, loaded.path
        self._size = loaded.end
        self._slots = _without_closers(loaded)
        self.events = EventLog(self._slots)
        self._look()

    @property
    def reason(self) -> str:
        """Who holds it, for how long at the most, and what to do meanwhile."""
        if self._trouble:
            return self._trouble
        return f"in use by {self._words()} · /fork works in a copy"

    def stop(self) -> None:
        """It is no longer shown."""
        self._stopped = True

    @property
    def stopped(self) -> bool:
        return self._stopped

    def give_up(self, why: str) -> None:
        """It is free, but can't be written for another reason."""
        self._trouble = why

    async def until_free(self, changed: Callable[[], None]) -> None:
        """Wait for the lease or `stop`; ``changed`` is called when there is something new to show."""
        said = self._words()
        while not self._stopped:
            if not self._look():
                return
            started, before, said = self._clock.monotonic(), said, self._words()
            if await self._grow() or said != before:
                changed()
            await self._clock.sleep(max(LOOK_SECONDS, CALM * (self._clock.monotonic() - started)))

    def _look(self) -> bool:
        """Whether somebody holds it; a lock file that can't be read is taken for held."""
        with contextlib.suppress(OSError):
            self._holder = self._leases.holder(self._path)
            return self._holder is not None
        return True

    async def _grow(self) -> bool:
        try:
            size = self._path.stat().st_size
            if size == self._size:
                return False
            fresh = await asyncio.to_thread(self._persistence.read_from, self.session_id, len(self._slots))
        except (OSError, PersistenceError):
            return False  # deleted or damaged meanwhile: what was read stays
        self._size = size
        self._slots.extend(fresh)
        return bool(fresh)

    def _words(self) -> str:
        holder = self._holder
        if holder is None:
            return "another program"
        who = "another program" if holder.pid is None else f"process {holder.pid}"
        if holder.until is None:
            return f"{who}, by its lease since a time in the future"
        left = max(0, holder.until - self._clock.now_ms())
        if left > 2 * _MINUTE_MS:
            return f"{who}, lease ends in {left // _MINUTE_MS} min"
        return f"{who}, lease ends in {-(-left // 1000)} s"


def _without_closers(loaded: LoadedSession) -> list[Row]:
    """The log as it is: its open turn is still running, elsewhere."""
    events = loaded.events
    slots: list[Row] = events.slots() if isinstance(events, EventLog) else list(events)
    return slots[: len(slots) - loaded.closed]
