"""A replay under way: which entry is next, and how the run left the recording, if it did.

The first drift stands: whatever is asked after it gets the same error, so a run never goes on with
answers that belong to something else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.kernel import ServiceKey
from dsh_tui.engine.llm.chunks import Chunk, Failed, Finish
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.replay.differences import Rewrite, first_difference
from dsh_tui.engine.replay.entries import Entry
from dsh_tui.engine.replay.errors import DriftError
from dsh_tui.engine.replay.placeholders import filled


class Replay:
    """Answers requests from entries, one each, in order."""

    def __init__(self, entries: Sequence[Entry], rewrite: Rewrite) -> None:
        self._entries = entries
        self._rewrite = rewrite
        self._next = 0
        self.drift: DriftError | None = None
        """Where the run left the recording."""

    def answer(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The stream for the next request.

        Raises:
            DriftError: it is not the request that was recorded, or none is left.
        """
        if self.drift is None:
            self.drift = self._check(request)
        if self.drift is not None:
            raise self.drift
        entry = self._entries[self._next]
        self._next += 1
        return _stream(entry, request)

    def check_complete(self) -> None:
        """Whether the run asked for everything that was recorded.

        Raises:
            DriftError: it drifted, or ended early.
        """
        if self.drift is None and self._next < len(self._entries):
            left = self._entries[self._next]
            self.drift = DriftError(
                f"{len(self._entries)} requests were recorded, {self._next} made: {left.place} never came"
            )
        if self.drift is not None:
            raise self.drift

    def _check(self, request: ModelRequest) -> DriftError | None:
        if self._next == len(self._entries):
            return DriftError(f"{len(self._entries)} requests were recorded, and the run asks for one more")
        entry = self._entries[self._next]
        if entry.request is None:
            return None
        difference = first_difference(entry.request, request, self._rewrite)
        if difference is None:
            return None
        return DriftError(f"the request for {entry.place} is not the recorded one: {difference}")


REPLAY: ServiceKey[Replay] = ServiceKey("replay")


async def _stream(entry: Entry, request: ModelRequest) -> AsyncIterator[Chunk]:
    for chunk in entry.chunks:
        request.signal.check()
        yield filled(chunk, request)
    if entry.throw is not None:
        yield freeze(Finish(type="finish", reason=Failed(kind="error", failure=entry.throw)))
    elif entry.hang:
        if entry.marker:
            Path(entry.marker).touch()
        await request.signal.race(asyncio.Event().wait())
