"""Entries of a replay: one for each request, in the order in which they were sent.

Read from a log by (turn, step, attempt): every attempt ends in a ``finish`` chunk, so a log says by
itself where one stream ends and the next begins. Source: capabilities A7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dsh_tui.engine.llm.chunks import Chunk, Failure
from dsh_tui.engine.loop.rebuild import RebuiltRequest, rebuild_requests
from dsh_tui.engine.replay.errors import FixtureError
from dsh_tui.engine.session.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one request is answered with: ``chunks``, then at most one of the two endings."""

    chunks: tuple[Chunk, ...] = ()
    throw: Failure | None = None
    """The request fails with this after the chunks."""
    hang: bool = False
    """Nothing more comes after the chunks until the request is cancelled."""
    marker: str = ""
    """A file that is made when the entry hangs, for whoever waits for that outside."""
    request: RebuiltRequest | None = None
    """The request that was recorded; None where an override stands in for it."""
    place: str = ""
    """Where in the recording, for people: ``turn 1 step 2``."""


def read_entries(events: Iterable[Event]) -> tuple[Entry, ...]:
    """All streams of a log.

    An attempt that somebody stopped hangs at the place where they did, as it did for them.

    Raises:
        FixtureError: a stream has no end, so nobody knows how it went on.
    """
    log = list(events)
    requests = {_place(r.turn, r.step, r.attempt): r for r in rebuild_requests(log)}
    return tuple(_entry(place, chunks, requests.get(place)) for place, chunks in _attempts(log))


def _entry(place: str, chunks: list[Chunk], request: RebuiltRequest | None) -> Entry:
    last = chunks[-1]
    if last["type"] != "finish":
        raise FixtureError(f"the recording breaks off in {place}; an override must say how it ends")
    if last["reason"]["kind"] == "aborted":
        return Entry(chunks=tuple(chunks[:-1]), hang=True, request=request, place=place)
    return Entry(chunks=tuple(chunks), request=request, place=place)


def _attempts(events: Iterable[Event]) -> Iterator[tuple[str, list[Chunk]]]:
    step, attempt = (-1, -1), 0
    chunks: list[Chunk] = []
    for event in events:
        if event.type != "assistant/chunk":
            continue
        here = (event.data["turn"], event.data["step"])
        if here != step:
            if chunks:
                yield _place(*step, attempt), chunks
            step, attempt, chunks = here, 0, []
        if not chunks:
            attempt += 1
        chunks.append(event.data["chunk"])
        if chunks[-1]["type"] == "finish":
            yield _place(*step, attempt), chunks
            chunks = []
    if chunks:
        yield _place(*step, attempt), chunks


def _place(turn: int, step: int, attempt: int) -> str:
    return f"turn {turn} step {step}" + (f" attempt {attempt}" if attempt > 1 else "")
