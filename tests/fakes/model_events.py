"""The provider's side of the wire: a scripted reply as SSE events, or as one JSON answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.model_script import Reply


class ReplyEvents:
    """Builds the events of one answer; ``request`` makes its call ids unique on the server."""

    def __init__(self, request: int, model: str, prompt_bytes: int) -> None:
        self._request = request
        self._prompt_tokens = max(1, prompt_bytes // 4)
        self._common = {
            "id": f"chatcmpl-{request}",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
        }

    def opening(self) -> bytes:
        return self._event({"role": "assistant", "content": None, "reasoning_content": ""})

    def deltas(self, answer: Reply) -> list[bytes]:
        """One event a delta: reasoning, text, then the arguments of each call."""
        pieces = answer.pieces if answer.pieces is not None else tuple(_cut(answer.text, answer.chunk))
        return [
            *self._text_events("reasoning_content", _cut(answer.thinking, answer.chunk)),
            *self._text_events("content", pieces),
            *self._call_events(answer),
        ]

    def closing(self, answer: Reply, count: int) -> bytes:
        return self._event({}, finish=_finish(answer), usage=self._usage(answer, count))

    def whole(self, answer: Reply) -> dict[str, object]:
        """The same answer for a request that asked for no stream."""
        message: dict[str, object] = {
            "role": "assistant",
            "content": "".join(answer.pieces or (answer.text,)),
        }
        if answer.thinking:
            message["reasoning_content"] = answer.thinking
        if answer.tool_calls:
            message["tool_calls"] = [
                {
                    "id": self._call_id(index),
                    "type": "function",
                    "function": {"name": name, "arguments": args},
                }
                for index, (name, args) in enumerate(answer.tool_calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
        usage = self._usage(answer, len(self.deltas(answer)))
        return {**self._common, "object": "chat.completion", "choices": [choice], "usage": usage}

    def _event(self, delta: object, *, finish: str | None = None, **more: object) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return b"data: " + json.dumps({**self._common, "choices": [choice], **more}).encode() + b"\n\n"

    def _text_events(self, field: str, pieces: Iterator[str] | tuple[str, ...]) -> list[bytes]:
        before, after = self._event({field: "@@"}).split(b'"@@"')
        return [before + json.dumps(piece).encode() + after for piece in pieces]

    def _call_events(self, answer: Reply) -> Iterator[bytes]:
        for index, (name, args) in enumerate(answer.tool_calls):
            function: dict[str, object] = {"name": name, "arguments": ""}
            call = {"index": index, "id": self._call_id(index), "type": "function", "function": function}
            yield self._event({"tool_calls": [call]})
            for piece in _cut(args, answer.chunk * 4):
                yield self._event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})

    def _call_id(self, index: int) -> str:
        return f"call_{index:02d}_r{self._request}"

    def _usage(self, answer: Reply, count: int) -> Mapping[str, Any]:  # Any: JSON
        if answer.usage is not None:
            return answer.usage
        prompt = self._prompt_tokens
        return {
            "prompt_tokens": prompt,
            "completion_tokens": count,
            "total_tokens": prompt + count,
            "prompt_cache_hit_tokens": 0,
            "prompt_cache_miss_tokens": prompt,
        }


def _finish(answer: Reply) -> str:
    return answer.finish or ("tool_calls" if answer.tool_calls else "stop")


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))
