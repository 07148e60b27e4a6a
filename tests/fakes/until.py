"""Waiting for what others bring about: a thread, a process, an engine that runs beside the test.

Nobody sleeps to be in step with something; the condition itself is looked at, and a time without it fails.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

DEADLINE: Final = 15.0
"""Seconds. Far beyond what anything takes, so that a slow machine fails no test."""


async def until(happened: Callable[[], object]) -> None:
    """Wait while the event loop goes on."""
    async with asyncio.timeout(DEADLINE):
        while not happened():
            await asyncio.sleep(0.002)


def until_then(happened: Callable[[], object], what: str, *, timeout: float = DEADLINE) -> None:
    """Wait with everything else of this process; ``what`` is named if it does not come."""
    end = time.monotonic() + timeout
    while not happened():
        assert time.monotonic() < end, f"{what}: not seen after {timeout:g} s"
        time.sleep(0.01)
