"""Mounts leases on lock files as service ``leases``; mounted before the store, it ends after it.

Source: core spec §4.6; design §4 (``lease`` in the settings).
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import Context, UndoStep
from dsh_tui.engine.persistence.errors import AlreadyOwnedError
from dsh_tui.engine.persistence.lease.file_lease import FileLease
from dsh_tui.engine.persistence.lease.lock_file import LockFile
from dsh_tui.engine.persistence.lease.record import (
    DEFAULT_RENEW_INTERVAL_MS,
    DEFAULT_TTL_MS,
    LOCK_NAME,
    LONGEST_TTL_MS,
    Holder,
    holder_of,
)
from dsh_tui.engine.persistence.seam import LEASES

name = "leases"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseConfig:
    """How long a silent writer is waited for, and how often a living one speaks."""

    ttl_ms: int = DEFAULT_TTL_MS
    renew_interval_ms: int = DEFAULT_RENEW_INTERVAL_MS
    clock: Clock = SYSTEM_CLOCK

    def __post_init__(self) -> None:
        if not 0 < self.renew_interval_ms < self.ttl_ms <= LONGEST_TTL_MS:
            raise ValueError(
                f"lease: 0 < renew_interval_ms < ttl_ms <= {LONGEST_TTL_MS} must hold, not "
                f"{self.renew_interval_ms} and {self.ttl_ms}"
            )


Config = LeaseConfig


class FileLeases:
    """Service ``leases``: one `FileLease` a log, never two of one log in this process."""

    def __init__(self, config: LeaseConfig) -> None:
        self._config = config
        self._owners: dict[Path, FileLease] = {}

    async def acquire(self, path: Path) -> FileLease:
        """See `Leases.acquire`."""
        lock = path.with_name(LOCK_NAME)
        if lock in self._owners:
            raise AlreadyOwnedError(
                f"session {path.parent.name} is open for writing in this process already",
                path=lock,
            )
        lease = FileLease(
            LockFile(lock),
            ttl_ms=self._config.ttl_ms,
            renew_interval_ms=self._config.renew_interval_ms,
            clock=self._config.clock,
            on_end=lambda: self._forget(lock),
        )
        self._owners[lock] = lease
        try:
            await lease.take()
        except BaseException:  # raised again; what was begun is undone first
            self._forget(lock)
            raise
        return lease

    def holder(self, path: Path) -> Holder | None:
        """See `Leases.holder`."""
        return holder_of(path, self._config.clock.now_ms(), self._config.ttl_ms)

    async def close(self) -> None:
        """Give every lease back."""
        await asyncio.gather(*(lease.release() for lease in tuple(self._owners.values())))

    def close_now(self) -> None:
        """See `Leases.close_now`."""
        for lease in self._owners.values():
            lease.give_back_now()

    def _forget(self, lock: Path) -> None:
        self._owners.pop(lock, None)


def apply(ctx: Context, config: LeaseConfig) -> None:
    """Provide `LEASES`; whatever is still held at the end of the process is given back."""
    leases = FileLeases(config)

    def install() -> Iterator[UndoStep]:
        atexit.register(leases.close_now)
        yield lambda: atexit.unregister(leases.close_now)
        yield leases.close
        yield ctx.provide(LEASES, leases)

    ctx.effect(install)
