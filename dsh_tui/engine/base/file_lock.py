"""A lock between processes on an open file or folder, waited for with a limit.

Anybody who can open the file can hold the lock, a command of the agent too: so nobody waits for ever.
"""

from __future__ import annotations

import fcntl
import time
from typing import Final

_LOOK: Final = 0.02
"""Seconds between two tries."""


def take_lock(fd: int, seconds: float) -> bool:
    """Take it until the descriptor is closed; False if somebody else holds it all that time. Blocks."""
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK)
        else:
            return True
