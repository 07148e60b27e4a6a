"""What tests of leases look at: the lock beside a log, its fields, and the end of a queue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dsh_tui.engine.persistence.errors import SessionOwnershipLostError
from dsh_tui.engine.persistence.lease.file_lease import FileLease
from dsh_tui.engine.persistence.lease.record import LOCK_NAME

TTL, INTERVAL = 300, 240
"""Seconds, as they are by default."""


def lock_of(log: Path) -> Path:
    return log.with_name(LOCK_NAME)


def fields(log: Path) -> dict[str, Any]:  # Any: JSON of the record
    read: dict[str, Any] = json.loads(lock_of(log).read_text())
    return read


async def renewed(lease: FileLease) -> None:
    """Until whatever stood in the queue is through."""
    try:
        await lease.write(lambda: None)
    except SessionOwnershipLostError:
        return
