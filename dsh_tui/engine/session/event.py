"""The envelope of every entry of a session log.

Immutable once committed; ``data`` is deeply frozen JSON whose shape belongs to ``type``
(see `session.registry`). Source: core spec §3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict


class SurfaceOp(TypedDict):
    """How an event changes what the model sees: push it, or swap an inclusive span of nodes for it."""

    op: Literal["append", "replace"]
    start: NotRequired[int]
    end: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Event:
    """One committed fact. ``seq`` is its position in the log, ``time`` epoch milliseconds."""

    type: str
    seq: int
    time: int
    data: Any  # Any: frozen JSON, shape by type; read as event.data["turn"]
    surface_op: SurfaceOp | None = None
    source_event_seqs: tuple[int, ...] | None = None
    ignorable: bool = False

    def to_json(self) -> dict[str, Any]:
        """The log's form of it; absent fields are left out."""
        row: dict[str, Any] = {"type": self.type, "seq": self.seq, "time": self.time, "data": self.data}
        if self.surface_op is not None:
            row["surfaceOp"] = self.surface_op
        if self.source_event_seqs is not None:
            row["sourceEventSeqs"] = self.source_event_seqs
        if self.ignorable:
            row["ignorable"] = True
        return row
