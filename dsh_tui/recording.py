"""The bundled recording: a real session log, played through the screen at the pace it was made.

It teaches what the app does before there is a key; nothing in it pretends to be a model now.
Source: design §3.21.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.session.event import Event

RECORDING = "recording: nothing here is live; enter a key to work"
PATH = Path(__file__).parent / "recording.jsonl"
LONGEST_PAUSE_S = 1.5
"""Nobody wants to watch somebody else think."""


def load_recording() -> LoadedSession:
    """The log that ships with the package."""
    return read_log(PATH)


async def paced(events: Sequence[Event], *, speed: float = 1.0) -> AsyncIterator[Event]:
    """The events, each after the pause that its time stamp tells, cut to `LONGEST_PAUSE_S`."""
    before: int | None = None
    for event in events:
        if before is not None and event.time > before:
            await asyncio.sleep(min((event.time - before) / 1000, LONGEST_PAUSE_S) / speed)
        before = event.time
        yield event
