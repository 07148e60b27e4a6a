"""Wire deltas → chunks: which block a delta belongs to, and how the answer ends.

One text or reasoning block is open at a time; calls stay open until the finish, because parallel
calls interleave. Chunks are built frozen, one small dict a delta, without a general freeze.
Source: capabilities A3; design §3.9, §3.10.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast

from dsh_tui.engine.base.frozen import MAX_SAFE_INT, FrozenDict
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.deepseek.failures import closed_error, malformed, stream_error
from dsh_tui.engine.llm.errors import LlmError
from dsh_tui.engine.llm.surrogates import SurrogateSeam

Wire = dict[str, Any]  # Any: JSON the provider sent; checked where it is used
Make: Final[Callable[[dict[str, object]], Chunk]] = cast("Any", FrozenDict)  # Any: a TypedDict has no base


class _Call:
    """One tool call that is still being written."""

    __slots__ = ("arguments", "id", "index", "name", "seam", "wire_id")

    def __init__(self, index: int, call_id: str, wire_id: str) -> None:
        self.index = index
        self.id = call_id
        self.wire_id = wire_id
        self.name = ""
        self.arguments: list[str] = []
        self.seam = SurrogateSeam()


class DeltaReader:
    """Turns the payloads of one stream into chunks, in order.

    ``known_ids`` are the call ids of the conversation: a provider that counts from ``call_0`` in every
    answer gets ids of ours instead, so that an id names one call of the session for ever.
    """

    def __init__(self, known_ids: Callable[[], set[str]] = set) -> None:
        self.finish_reason: str | None = None
        self._usage: Wire | None = None
        self._next_index = 0
        self._kind = ""  # of the open text or reasoning block
        self._index = 0
        self._pieces: list[str] = []
        self._seam = SurrogateSeam()
        self._calls: list[_Call] = []
        self._by_wire_index: dict[int, _Call] = {}
        self._known_ids = known_ids
        self._taken: set[str] | None = None

    def add(self, payload: object, out: list[Chunk]) -> None:
        """Append the chunks of one payload.

        Raises:
            LlmError: the payload is an error object, or no chat payload at all.
        """
        if not isinstance(payload, dict):
            raise malformed(repr(payload))
        if payload.get("error"):
            raise stream_error(payload["error"])
        usage = payload.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        choices = payload.get("choices")
        if not choices:
            return
        choice = choices[0] if isinstance(choices, list) else None
        if not isinstance(choice, dict):
            raise malformed(repr(choices))
        delta = choice.get("delta")
        self._delta(_as_delta(choice.get("message")) if delta is None else delta, out)
        if reason := choice.get("finish_reason"):
            self.finish_reason = str(reason)

    def close(self, out: list[Chunk]) -> LlmError | None:
        """Append what ends the stream; the error instead of a finish where there is no answer."""
        reason = self.finish_reason
        kind = {"stop": "stop", "tool_calls": "tool-calls", "length": "max-tokens"}.get(reason or "")
        if kind is not None:
            self._close_text(out)
            if kind != "max-tokens":  # a call that met the limit may be cut: it never ends
                self._close_calls(out)
                kind = "tool-calls" if self._calls else "stop"
        if self._usage is not None:
            out.append(Make({"type": "usage", "usage": FrozenDict(_usage(self._usage))}))
        if reason is None:
            return closed_error()
        if kind is None:
            code = re.sub(r"[^A-Z0-9_]", "_", reason.upper())[:64]
            return LlmError(f"The provider broke off the answer: {reason[:64]}", code=code)
        if self._next_index == 0 and kind == "stop":
            return LlmError("The provider sent an empty answer.", code="EMPTY_RESPONSE")
        out.append(Make({"type": "finish", "reason": FrozenDict(kind=kind)}))
        return None

    def _delta(self, delta: object, out: list[Chunk]) -> None:
        if not isinstance(delta, dict):
            raise malformed(repr(delta))
        if text := delta.get("reasoning_content"):
            self._text("reasoning", text, out)
        if text := delta.get("content"):
            self._text("text", text, out)
        if calls := delta.get("tool_calls"):
            self._close_text(out)
            for call in calls if isinstance(calls, list) else [calls]:
                self._call(call, out)

    def _text(self, kind: str, text: object, out: list[Chunk]) -> None:
        if type(text) is not str:
            raise malformed(repr(text))
        if kind != self._kind:
            self._close_text(out)
            self._kind = kind
            self._index = self._start(kind, out)
        text = self._seam.join(text)
        if text:
            self._pieces.append(text)
            out.append(Make({"type": f"{kind}-delta", "index": self._index, "text": text}))

    def _close_text(self, out: list[Chunk]) -> None:
        kind = self._kind
        if not kind:
            return
        if rest := self._seam.close():
            self._pieces.append(rest)
            out.append(Make({"type": f"{kind}-delta", "index": self._index, "text": rest}))
        block = FrozenDict(type=kind, text="".join(self._pieces))
        out.append(Make({"type": "block-end", "index": self._index, "block": block}))
        self._kind = ""
        self._pieces = []

    def _start(self, kind: str, out: list[Chunk]) -> int:
        index = self._next_index
        self._next_index += 1
        out.append(Make({"type": "block-start", "index": index, "blockType": kind}))
        return index

    def _call(self, delta: object, out: list[Chunk]) -> None:
        if not isinstance(delta, dict):
            raise malformed(repr(delta))
        function = delta.get("function") or {}
        if not isinstance(function, dict):
            raise malformed(repr(function))
        wire_id, name = _string(delta.get("id")), _string(function.get("name"))
        call = self._find(delta.get("index"), wire_id, name)
        fresh = call is None
        if call is None:
            call = _Call(self._start("tool-call", out), self._own_id(wire_id), wire_id)
            self._calls.append(call)
        if isinstance(delta.get("index"), int):
            self._by_wire_index[delta["index"]] = call
        call.wire_id = call.wire_id or wire_id
        chunk: dict[str, object] = {"type": "tool-call-delta", "index": call.index, "id": call.id}
        if name and not call.name:
            call.name = chunk["name"] = name
        chunk["argumentsDelta"] = arguments = call.seam.join(_arguments(function.get("arguments")))
        call.arguments.append(arguments)
        if arguments or "name" in chunk or fresh:
            out.append(Make(chunk))

    def _find(self, index: object, wire_id: str, name: str) -> _Call | None:
        """The call that a delta continues: by index; without one by id; without both the open one."""
        if isinstance(index, int):
            call = self._by_wire_index.get(index)
            # Servers that number every call 0 still name each: another id with a name is another call.
            if call is not None and name and wire_id and call.wire_id and wire_id != call.wire_id:
                return None
            return call
        if wire_id:
            return next((call for call in self._calls if call.wire_id == wire_id), None)
        call = self._calls[-1] if self._calls else None
        return None if call is not None and name and call.name and name != call.name else call

    def _own_id(self, wire_id: str) -> str:
        if self._taken is None:
            self._taken = self._known_ids()
        call_id = wire_id
        while not call_id or call_id in self._taken:
            call_id = new_id("call")
        self._taken.add(call_id)
        return call_id

    def _close_calls(self, out: list[Chunk]) -> None:
        for call in self._calls:
            if rest := call.seam.close():
                call.arguments.append(rest)
                delta = {
                    "type": "tool-call-delta",
                    "index": call.index,
                    "id": call.id,
                    "argumentsDelta": rest,
                }
                out.append(Make(delta))
            arguments = "".join(call.arguments)
            block = FrozenDict(type="tool-call", id=call.id, name=call.name, arguments=arguments)
            out.append(Make({"type": "block-end", "index": call.index, "block": block}))


def _as_delta(message: object) -> object:
    """The message of an answer that was not streamed, whose calls carry no index."""
    if not isinstance(message, dict) or not isinstance(message.get("tool_calls"), list):
        return message if message is not None else {}
    calls = [
        {"index": position, **call} if isinstance(call, dict) else call
        for position, call in enumerate(message["tool_calls"])
    ]
    return {**message, "tool_calls": calls}


def _string(value: object) -> str:
    return value if type(value) is str else ""


def _arguments(value: object) -> str:
    """The raw text; some local servers send the object itself."""
    return dumps(value) if isinstance(value, dict) else _string(value)


def _usage(wire: Wire) -> dict[str, int]:
    """Disjoint counts: what came from the cache is not input once more."""
    details = wire.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = wire.get("prompt_cache_hit_tokens")
    hit = _count(cached)
    usage = {
        "inputTokens": max(0, _count(wire.get("prompt_tokens")) - hit),
        "outputTokens": _count(wire.get("completion_tokens")),
    }
    if cached is not None:
        usage["cacheReadTokens"] = hit
    details = wire.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    if reasoning is not None:
        usage["reasoningTokens"] = _count(reasoning)
    return usage


def _count(value: object) -> int:
    return value if type(value) is int and 0 <= value <= MAX_SAFE_INT else 0
