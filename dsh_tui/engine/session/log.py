"""The events of a log as a read-only sequence that keeps streamed deltas packed.

``log[seq]`` is the event with that seq. Slots that belong to a run share one `ChunkRun` and
are unpacked on access, so a token costs a text and a pointer, not an event with two dicts.
The sequence is a live view: it grows as its session does. Source: core spec §12 (traps).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.pack import ChunkRun, Row, pack


def _moved(event: Event, placed: Mapping[int, int]) -> Event:
    """The event at its place; what it cites and is lost, it cites no more."""
    if placed[event.seq] == event.seq:
        return event
    cited = event.source_event_seqs
    kept = None if cited is None else tuple(placed[seq] for seq in cited if seq in placed)
    return replace(event, seq=placed[event.seq], source_event_seqs=kept)


class EventLog(Sequence[Event]):
    """Read-only events, contiguous from seq 0."""

    __slots__ = ("_slots",)

    def __init__(self, slots: list[Row]) -> None:
        self._slots = slots

    @classmethod
    def of(cls, rows: Iterable[Row]) -> EventLog:
        """A log from events and packed runs in order."""
        slots: list[Row] = []
        for row in rows:
            if type(row) is ChunkRun:
                slots.extend([row] * len(row))
            else:
                slots.append(row)
        return cls(slots)

    @classmethod
    def numbered(cls, events: Sequence[Event]) -> EventLog:
        """The same events as a log, if they are none; where a damaged one has gaps, with new numbers."""
        if isinstance(events, EventLog):
            return events
        placed = {event.seq: at for at, event in enumerate(events)}
        return cls.of(pack(_moved(event, placed) for event in events))

    def __len__(self) -> int:
        return len(self._slots)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self._slots))))
        slot = self._slots[index]
        if isinstance(slot, ChunkRun):
            return slot.event(index if index >= 0 else index + len(self._slots))
        return slot

    def __iter__(self) -> Iterator[Event]:
        for seq, slot in enumerate(self._slots):
            yield slot.event(seq) if isinstance(slot, ChunkRun) else slot

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[Row]:
        """Events and runs with ``start <= seq < stop``, runs as detached copies.

        Safe to read from another thread while the log grows, as long as ``stop`` is given
        and not beyond the length it had when the thread was asked.
        """
        slots = self._slots
        end = len(slots) if stop is None else stop
        at = start
        while at < end:
            slot = slots[at]
            if isinstance(slot, ChunkRun):
                upto = min(end, slot.seq + len(slot))
                yield slot.part(at, upto)
                at = upto
            else:
                yield slot
                at += 1

    def prefix(self, length: int) -> EventLog:
        """The first ``length`` events as a log of their own; runs are shared, not copied."""
        return EventLog(self._slots[:length])

    def slots(self) -> list[Row]:
        """A copy of the slots: what a new log starts from."""
        return list(self._slots)
