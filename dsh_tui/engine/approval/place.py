"""Where a question stands among those of its step: the first of three, say. A forecast.

Calls behind it are read from the step's answer and judged by mode and rules, as they stand now; what
hooks will say of them is not known. Source: ux spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dsh_tui.engine.session.event import Event
from dsh_tui.engine.tools.arguments import parse_arguments
from dsh_tui.engine.tools.definition import Admission, ToolCall


def place_of(call: ToolCall, would_ask: Callable[[ToolCall], bool]) -> tuple[int, int] | None:
    """``(index, of)``, 1-based; None for a question that stands alone in its step."""
    asked, answer = _step_so_far(call)
    behind = sum(would_ask(other) for other in _calls_behind(call, answer))
    index = asked + 1
    return (index, index + behind) if index + behind > 1 else None


def _step_so_far(call: ToolCall) -> tuple[int, Event | None]:
    """How many questions the step has asked before, and the answer whose calls it runs."""
    asked = 0
    for event in reversed(call.session.events):
        if event.type == "approval/asked":
            asked += 1
        elif event.type == "assistant/message":
            return asked, event
        elif event.type in ("step/start", "turn/start"):
            break
    return asked, None


def _calls_behind(call: ToolCall, answer: Event | None) -> Iterator[ToolCall]:
    blocks = () if answer is None else answer.data["content"]
    calls = [block for block in blocks if block["type"] == "tool-call"]
    at = next((at for at, block in enumerate(calls) if block["id"] == call.call_id), len(calls))
    for block in calls[at + 1 :]:
        raw = block["arguments"]
        yield replace(
            call,
            call_id=block["id"],
            name=block["name"],
            arguments=raw,
            args=parse_arguments(raw),
            admission=Admission(mode=call.admission.mode),  # a forecast binds the real call to nothing
        )
