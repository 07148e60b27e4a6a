"""Runs of deltas, packed: one object instead of hundreds, without losing a byte.

A run holds consecutive ``assistant/chunk`` events that add to the same block and differ only
in text and time. In memory it spares an event and two dicts a token; on disk it is one row.
Only an exact shape is packed (same keys in the same order), so that unpacking gives back
equal events that serialise to equal bytes. Source: core spec §4.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from dsh_tui.engine.base.clock import is_time
from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.session.deltas import GrowingDeltas, SealedDeltas
from dsh_tui.engine.session.event import Event

CHUNK = "assistant/chunk"
RUN = "assistant/chunk-run"
MIN_RUN = 3  # shorter runs are written as plain events: the row would not be smaller

_TEXT_KEYS = ["type", "index", "text"]
_CALL_KEYS = ["type", "index", "id", "argumentsDelta"]
_TEXT_KINDS = ("text-delta", "reasoning-delta")
_CALL_KIND = "tool-call-delta"


class ChunkRun:
    """Deltas of one block with consecutive seqs. Grows at its end only, only by its log, until sealed."""

    __slots__ = ("_deltas", "call_id", "index", "kind", "seq", "step", "turn")

    def __init__(
        self,
        *,
        seq: int,
        turn: int,
        step: int,
        kind: str,
        index: int,
        call_id: str | None,
        deltas: GrowingDeltas | SealedDeltas,
    ) -> None:
        self.seq, self.turn, self.step = seq, turn, step
        self.kind, self.index, self.call_id = kind, index, call_id
        # Exchanged as a whole, and read once by each method: the log is written from another thread.
        self._deltas = deltas

    def __len__(self) -> int:
        return len(self._deltas)

    @property
    def texts(self) -> Sequence[str]:
        return self._deltas.texts

    @property
    def times(self) -> Sequence[int]:
        return self._deltas.times

    def chunk(self, seq: int) -> FrozenDict:
        """The delta at ``seq``, as it was streamed."""
        text = self._deltas.text(seq - self.seq)
        if self.call_id is None:
            return FrozenDict({"type": self.kind, "index": self.index, "text": text})
        return FrozenDict(
            {"type": self.kind, "index": self.index, "id": self.call_id, "argumentsDelta": text}
        )

    def event(self, seq: int) -> Event:
        """The event at ``seq``; built anew each time, always equal."""
        data = FrozenDict({"turn": self.turn, "step": self.step, "chunk": self.chunk(seq)})
        return Event(CHUNK, seq, self._deltas.times[seq - self.seq], data)

    def events(self) -> Iterator[Event]:
        return map(self.event, range(self.seq, self.seq + len(self)))

    def extend(self, chunk: Mapping[str, Any], time: int) -> bool:  # Any: a frozen, valid chunk
        """Take one more delta if it belongs to the same block; False leaves the run as it is."""
        deltas = self._deltas
        if chunk["type"] != self.kind or chunk["index"] != self.index or type(deltas) is not GrowingDeltas:
            return False
        if self.call_id is None:
            if len(chunk) != 3 or list(chunk) != _TEXT_KEYS:
                return False
            text = chunk["text"]
        else:
            if len(chunk) != 4 or chunk["id"] != self.call_id or list(chunk) != _CALL_KEYS:
                return False
            text = chunk["argumentsDelta"]
        last = deltas.times[-1]
        deltas.add(text, last if last == time else time)  # equal times share one int object
        return True

    def seal(self) -> None:
        """Nothing more will come: keep it in little room."""
        deltas = self._deltas
        if type(deltas) is GrowingDeltas:
            self._deltas = SealedDeltas(deltas.texts, deltas.times)

    def part(self, start: int, stop: int) -> ChunkRun:
        """The deltas with ``start <= seq < stop``; later growth does not reach them."""
        deltas = self._deltas
        low, high = start - self.seq, stop - self.seq
        if type(deltas) is SealedDeltas and (low, high) == (0, len(deltas)):
            return self
        return ChunkRun(
            seq=start,
            turn=self.turn,
            step=self.step,
            kind=self.kind,
            index=self.index,
            call_id=self.call_id,
            deltas=SealedDeltas(deltas.texts[low:high], deltas.times[low:high]),
        )

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """The packed row of the log."""
        deltas = self._deltas
        head: dict[str, Any] = {  # Any: JSON
            "turn": self.turn,
            "step": self.step,
            "kind": self.kind,
            "index": self.index,
        }
        if self.call_id is not None:
            head["id"] = self.call_id
        head["texts"] = deltas.texts
        head["dt"] = [later - earlier for earlier, later in pairwise(deltas.times)]
        return {"type": RUN, "seq": self.seq, "time": deltas.times[0], "data": head}


Row: TypeAlias = Event | ChunkRun


def start_run(
    seq: int,
    turn: int,
    step: int,
    chunk: Mapping[str, Any],  # Any: a frozen, valid chunk
    time: int,
) -> ChunkRun | None:
    """A run of one, if the chunk is a delta of packable shape."""
    kind = chunk["type"]
    if kind in _TEXT_KINDS:
        if list(chunk) != _TEXT_KEYS:
            return None
        call_id, text = None, chunk["text"]
    elif kind == _CALL_KIND and list(chunk) == _CALL_KEYS:
        call_id, text = chunk["id"], chunk["argumentsDelta"]
    else:
        return None
    return ChunkRun(
        seq=seq,
        turn=turn,
        step=step,
        kind=kind,
        index=chunk["index"],
        call_id=call_id,
        deltas=GrowingDeltas(text, time),
    )


def pack(events: Iterable[Event]) -> Iterator[Row]:
    """The same log with runs of three and more packed."""
    run: ChunkRun | None = None
    for event in events:
        started = _run_of(event)
        if started is None:
            yield from _flushed(run)
            run = None
            yield event
        elif (
            run is None
            or run.seq + len(run) != event.seq
            or (run.turn, run.step) != (started.turn, started.step)
            or not run.extend(event.data["chunk"], event.time)
        ):
            yield from _flushed(run)
            run = started
    yield from _flushed(run)


def unpack(rows: Iterable[Row]) -> Iterator[Event]:
    """The events that were packed."""
    for row in rows:
        if type(row) is ChunkRun:
            yield from row.events()
        else:
            yield row  # type: ignore[misc]  # a Row that is no ChunkRun is an Event


def run_from_json(seq: int, time: int, data: Mapping[str, Any]) -> ChunkRun:  # Any: JSON from a file
    """Read a packed row.

    Raises:
        ValueError: not exactly the shape that `ChunkRun.to_json` writes.
    """
    kind, call_id = data.get("kind"), data.get("id")
    turn, step, index = data.get("turn"), data.get("step"), data.get("index")
    texts, gaps = data.get("texts"), data.get("dt")
    shaped = (
        len(data) == (6 if call_id is None else 7)
        and (kind in _TEXT_KINDS if call_id is None else kind == _CALL_KIND and type(call_id) is str)
        and type(turn) is type(step) is type(index) is int
        and isinstance(texts, (list, tuple))
        and isinstance(gaps, (list, tuple))
        and len(texts) >= MIN_RUN
        and len(gaps) == len(texts) - 1
        and set(map(type, texts)) == {str}
        and set(map(type, gaps)) == {int}
    )
    if not shaped:
        raise ValueError("a packed row of the wrong shape")
    assert isinstance(kind, str)
    assert isinstance(texts, (list, tuple))
    assert isinstance(gaps, (list, tuple))
    times = tuple(accumulate(gaps, initial=time))
    if not (is_time(min(times)) and is_time(max(times))):
        raise ValueError("a packed row with times of no clock")
    return ChunkRun(
        seq=seq,
        turn=data["turn"],
        step=data["step"],
        kind=kind,
        index=data["index"],
        call_id=call_id,
        deltas=SealedDeltas(texts, times),
    )


def _run_of(event: Event) -> ChunkRun | None:
    data = event.data
    if event.type != CHUNK or event.ignorable or event.surface_op is not None:
        return None
    if list(data) != ["turn", "step", "chunk"]:
        return None
    return start_run(event.seq, data["turn"], data["step"], data["chunk"], event.time)


def _flushed(run: ChunkRun | None) -> Iterator[Row]:
    if run is None:
        return
    if len(run) >= MIN_RUN:
        run.seal()
        yield run
    else:
        yield from run.events()
