"""Rows of the original's logs: one line as the entry or the packed run of entries that it stands for.

Source: upstream format §4 (envelope), §5 (packed rows of version 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

from dsh_tui.engine.base.clock import is_time
from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.persistence.jsonl.format import parse_object
from dsh_tui.engine.session.deltas import SealedDeltas
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.pack import CHUNK, ChunkRun

_RUNS = {"text-chunks": "text-delta", "reasoning-chunks": "reasoning-delta"}
_CALL_RUN = "tool-call-chunks"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event as the original wrote it."""

    type: str
    seq: int
    time: int
    data: FrozenDict
    op: Any = None  # Any: JSON, "append" or an object
    sources: tuple[int, ...] | None = None
    ignorable: bool = False

    def __len__(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Packed:
    """A run of streamed deltas that one row of a version 0 log stands for, in our own form."""

    seq: int
    rows: tuple[Event | ChunkRun, ...]
    size: int

    @property
    def time(self) -> int:
        """When the last of them came."""
        last = self.rows[-1]
        return last.times[-1] if isinstance(last, ChunkRun) else last.time

    def __len__(self) -> int:
        return self.size


Line: TypeAlias = Entry | Packed


def decode_line(line: str) -> Line:
    """The entry or run on one line.

    Raises:
        ValueError: not exactly one row.
    """
    fields, end = parse_object(line)
    if line[end:].strip():
        raise ValueError("more than one record on the line")
    tag, data = fields.get("type"), fields.get("data")
    if type(tag) is not str or type(data) is not FrozenDict:
        raise ValueError("a record needs type and data")
    if "seq0" in fields and (tag in _RUNS or tag == _CALL_RUN):
        return _packed(tag, fields.get("seq0"), fields.get("time0"), data)
    seq, time = fields.get("seq"), fields.get("time")
    if type(seq) is not int or type(time) is not int or seq < 0 or not is_time(time):
        raise ValueError("a record needs seq and time")
    sources = _expanded(fields["sourceEventSeqs"]) if "sourceEventSeqs" in fields else None
    return Entry(tag, seq, time, data, fields.get("surfaceOp"), sources, fields.get("ignorable") is True)


def _expanded(sources: object) -> tuple[int, ...]:
    """Seqs, with ``[first, last]`` for a run of them written out."""
    if type(sources) is not tuple:
        raise ValueError("sourceEventSeqs must be a list")
    seqs: list[int] = []
    for item in sources:
        if type(item) is int:
            seqs.append(item)
        elif type(item) is tuple and len(item) == 2 and set(map(type, item)) == {int} and item[0] <= item[1]:
            seqs.extend(range(item[0], item[1] + 1))
        else:
            raise ValueError("sourceEventSeqs holds seqs and pairs of them")
    return tuple(seqs)


def _packed(tag: str, seq: object, time: object, data: FrozenDict) -> Packed:
    calls = tag == _CALL_RUN
    texts: Any = data.get("args" if calls else "texts")  # Any: JSON, looked at below
    gaps: Any = data.get("dt")  # Any: as above
    call_id = data.get("id")
    turn, step, index = data.get("turn"), data.get("step"), data.get("index")
    shaped = (
        {type(value) for value in (seq, time, turn, step, index)} == {int}
        and type(texts) is type(gaps) is tuple
        and len(texts) > 0
        and len(gaps) == len(texts) - 1
        and set(map(type, texts)) == {str}
        and set(map(type, gaps)) <= {int}
        and (not calls or type(call_id) is str)
    )
    if not shaped:
        raise ValueError("a packed row of the wrong shape")
    assert type(seq) is int
    times = list(accumulate(gaps, initial=time))
    if not (is_time(min(times)) and is_time(max(times))):
        raise ValueError("a packed row with times of no clock")
    first = 0
    rows: list[Event | ChunkRun] = []
    if calls and type(data.get("name")) is str:  # every delta repeats it; one is enough
        chunk = {"type": "tool-call-delta", "index": index, "id": call_id, "name": data["name"]}
        chunk["argumentsDelta"] = texts[0]
        whole = FrozenDict({"turn": turn, "step": step, "chunk": FrozenDict(chunk)})
        rows.append(Event(CHUNK, seq, times[0], whole))
        first = 1
    if len(texts) > first:
        rows.append(
            ChunkRun(
                seq=seq + first,
                turn=data["turn"],
                step=data["step"],
                kind="tool-call-delta" if calls else _RUNS[tag],
                index=data["index"],
                call_id=data["id"] if calls else None,
                deltas=SealedDeltas(texts[first:], times[first:]),
            )
        )
    return Packed(seq, tuple(rows), len(texts))
