"""What began a turn: the original logs that beside the turn, ours at its start.

A turn belongs to the message that had been queued for it; where the log does not say, to the first message
in it. Source: upstream format §4 (order inside one turn).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dsh_tui.engine.base.frozen import FrozenDict, freeze
from dsh_tui.engine.persistence.dialects.envelope import Entry

_UNKNOWN = freeze({"kind": "plugin", "plugin": "unknown"})


def find_triggers(entries: Iterable[Entry]) -> dict[int, FrozenDict]:
    """Seq of each ``turn/start`` → its trigger; ``message`` where somebody asked."""
    found: dict[int, FrozenDict] = {}
    start: int | None = None
    queued: FrozenDict | None = None
    for entry in entries:
        if entry.type == "agent/inbox/spliced" and entry.data.get("target") != "next-step":
            for message in _inserted(entry.data):
                queued = queued or _source(message)
        elif entry.type == "turn/start":
            start = entry.seq
            found[start] = _trigger(queued)
            queued = None
        elif entry.type == "user/message" and start is not None:
            if found[start]["source"] is _UNKNOWN:
                found[start] = _trigger(_source(entry.data))
        elif entry.type == "turn/end":
            start = None
    return found


def _trigger(source: FrozenDict | None) -> FrozenDict:
    kind = "message" if source is not None and source.get("kind") == "user" else "injection"
    return FrozenDict({"kind": kind, "source": source or _UNKNOWN})


def _inserted(data: Mapping[str, Any]) -> Iterable[Any]:  # Any: JSON
    inserted = data.get("inserted")
    return inserted if isinstance(inserted, tuple) else ()


def _source(message: Any) -> FrozenDict | None:  # Any: JSON
    source = message.get("source") if isinstance(message, Mapping) else None
    return source if type(source) is FrozenDict and type(source.get("kind")) is str else None
