"""Blocking work that is not left half done: whoever is cancelled while it runs waits for its end.

A thread can't be cancelled. One that goes on behind a caller that has left would still write when
the lease is given back, the lock is open, or the file is read again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def to_the_end(work: Callable[[], T]) -> T:
    """Run it in a thread. A cancelled caller gets its `CancelledError` when the work is over."""
    running = asyncio.get_running_loop().create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with contextlib.suppress(asyncio.CancelledError):  # cancelled again: once is enough
                await asyncio.wait({running})
        if not running.cancelled():
            running.exception()  # nobody is left to hear it
        raise
