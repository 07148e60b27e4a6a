"""From surface events to the messages of a request: pure, per event, shared once made.

Content goes in verbatim: whoever wants framing around a text frames it before appending.
A replace rebuilds the list but not the messages, so unchanged messages stay the same objects.
Source: core spec §3 (derivation).
"""

from __future__ import annotations

from typing import Any, cast

from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.registry import EVENT_TYPES, EventTypes
from dsh_tui.engine.session.surface import Surface

_USER = frozenset({"user/message", "context/message", "steering/message"})


def project(event: Event, types: EventTypes = EVENT_TYPES) -> Message | None:
    """The message an event stands for; None where the model sees nothing."""
    data, tag = event.data, event.type
    if tag in _USER:
        return _message(data["id"], "user", data["content"], data["source"])
    if tag == "assistant/message":
        if not data["content"]:
            return None
        return _message(data["id"], "assistant", data["content"], data["source"])
    if tag == "tool/result":
        block = {"type": "tool-result", "toolCallId": data["callId"], "content": data["content"]}
        if data["isError"]:
            block["isError"] = True
        source = FrozenDict({"kind": "tool", "callId": data["callId"]})
        return _message(data["id"], "user", (FrozenDict(block),), source)
    kind = types.get(tag)
    return None if kind is None or kind.project is None else kind.project(event)


class Derivation:
    """The messages of one surface, kept up to date on demand."""

    __slots__ = ("_generation", "_made", "_messages", "_seen", "_surface", "_types")

    def __init__(self, surface: Surface, types: EventTypes = EVENT_TYPES) -> None:
        self._surface, self._types = surface, types
        self._generation = surface.generation
        self._made: dict[int, Message | None] = {}
        self._messages: list[Message] = []
        self._seen = 0

    def messages(self) -> tuple[Message, ...]:
        """A fresh tuple of shared messages."""
        nodes = self._surface.nodes
        if self._generation != self._surface.generation:
            self._generation, self._seen = self._surface.generation, 0
            self._messages = []
            kept = {node.seq for node in nodes}
            self._made = {seq: made for seq, made in self._made.items() if seq in kept}
        for node in nodes[self._seen :]:
            seq = node.seq
            if seq not in self._made:
                self._made[seq] = project(node, self._types)
            message = self._made[seq]
            if message is not None:
                self._messages.append(message)
        self._seen = len(nodes)
        return tuple(self._messages)


def _message(message_id: str, role: str, content: Any, source: Any) -> Message:  # Any: frozen JSON of the log
    return cast("Message", FrozenDict({"id": message_id, "role": role, "content": content, "source": source}))
