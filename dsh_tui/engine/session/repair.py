"""Closers: the events that end a turn which a crash left open. Pure.

Every call of the open step that has no result gets an error result, so that the next
request is one the provider accepts and the model knows what it cannot know. Where records are
lost, nobody knows either whether a call had begun. Times are the last event's and ids follow
from seqs, so the same log always gets the same closers.
Source: core spec §4.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.surface import APPEND

_UNKNOWN = (
    "ToolOutcomeUnknownError",
    "TOOL_OUTCOME_UNKNOWN",
    (
        "The session ended while this tool was running, so its outcome is unknown. It may have taken effect "
        "in full, in part or not at all. Verify the state of things before you run it again."
    ),
)
_NOT_STARTED = (
    "ToolNotStartedError",
    "TOOL_NOT_STARTED",
    "The session ended before this tool was started. Nothing was done.",
)


_LOST = (
    "ToolOutcomeUnknownError",
    "TOOL_OUTCOME_UNKNOWN",
    (
        "The record of the session is damaged here, so it is unknown whether this tool was run. It may have "
        "taken effect in full, in part or not at all. Verify the state of things before you run it again."
    ),
)


def closers(events: Sequence[Event], *, lost: bool = False) -> tuple[Event, ...]:
    """What to append so that no turn is open; empty for a log that ends well.

    ``lost`` says that records are missing that were there.
    """
    tail = _open_tail(events)
    if not tail:
        return ()
    turn: int = tail[0].data["turn"]
    step: int | None = None
    calls: dict[str, int | None] = {}  # call id → seq of its tool/call, in the order the model asked
    for event in tail:
        data, tag = event.data, event.type
        if tag == "step/start":
            step, calls = data["step"], {}
        elif tag == "step/end":
            step = None
        elif tag == "assistant/message" and _appends(event):
            calls.update({block["id"]: None for block in data["content"] if block["type"] == "tool-call"})
        elif tag == "tool/call" and data["callId"] in calls:
            calls[data["callId"]] = event.seq
        elif tag == "tool/result":
            calls.pop(data["callId"], None)
    closing = _Closing(tail[-1], _LOST if lost else _NOT_STARTED)
    if step is not None:
        for call_id, seq in calls.items():
            closing.add_result(turn, step, call_id, seq)
        closing.add("step/end", {"turn": turn, "step": step})
    closing.add("turn/end", {"turn": turn, "reason": {"kind": "interrupted"}})
    return tuple(closing.events)


class _Closing:
    """Events under construction, numbered on from the last one of the log."""

    def __init__(self, last: Event, unrecorded: tuple[str, str, str]) -> None:
        """``unrecorded`` is what a call without a record of its own is answered with."""
        self._next, self._time = last.seq + 1, last.time
        self._unrecorded = unrecorded
        self.events: list[Event] = []

    def add(
        self,
        tag: str,
        data: Mapping[str, Any],  # Any: JSON of the type
        *,
        shown: bool = False,
        sources: tuple[int, ...] | None = None,
    ) -> None:
        op = APPEND if shown else None
        self.events.append(Event(tag, self._next, self._time, freeze(data), op, sources))
        self._next += 1

    def add_result(self, turn: int, step: int, call_id: str, call_seq: int | None) -> None:
        name, code, text = self._unrecorded if call_seq is None else _UNKNOWN
        data = {
            "turn": turn,
            "step": step,
            "id": f"msg-repair-{self._next}",
            "callId": call_id,
            "content": [{"type": "text", "text": text}],
            "isError": True,
            "error": {"name": name, "code": code},
        }
        self.add("tool/result", data, shown=True, sources=None if call_seq is None else (call_seq,))


def _open_tail(events: Sequence[Event]) -> list[Event]:
    """From the start of the open turn to the end of the log; empty where no turn is open."""
    for at in range(len(events) - 1, -1, -1):
        tag = events[at].type
        if tag == "turn/end":
            return []
        if tag == "turn/start":
            return list(events[at:])
    return []


def _appends(event: Event) -> bool:
    return event.surface_op is None or event.surface_op["op"] == "append"
