"""Streams inside answers: from version 1 on, all that was streamed lies in the answer's own row.

What it says beyond the answer is when each block came, and, for a request that broke off, the text that
had come by then. Source: upstream format §5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_TEXTS = {"text-chunks": "text", "reasoning-chunks": "reasoning"}
_DELTAS = {"text-delta": "text", "reasoning-delta": "reasoning"}


@dataclass(slots=True)
class _Block:
    kind: str
    start: int
    end: int
    parts: list[str] = field(default_factory=list)


class Streamed:
    """A stream, gathered. Entries of no known shape are passed over."""

    def __init__(self, stream: object) -> None:
        self._blocks: dict[int, _Block] = {}
        for entry in stream if isinstance(stream, Sequence) and not isinstance(stream, str) else ():
            if isinstance(entry, Mapping):
                self._take(entry)

    def spans(self, count: int) -> list[dict[str, int]] | None:
        """When each of ``count`` blocks began and ended; None if the stream had another number of them."""
        if len(self._blocks) != count or not count:
            return None
        return [{"start": block.start, "end": block.end} for _, block in sorted(self._blocks.items())]

    def content(self) -> list[dict[str, str]]:
        """The text and the thoughts that came; calls that were never whole are left out."""
        blocks = (block for _, block in sorted(self._blocks.items()) if block.kind != "tool-call")
        return [
            {"type": block.kind, "text": text} for block in blocks if (text := "".join(block.parts)).strip()
        ]

    def _take(self, entry: Mapping[str, Any]) -> None:  # Any: JSON of a stream
        kind = entry.get("type")
        if kind == "chunk" and isinstance(chunk := entry.get("chunk"), Mapping):
            self._chunk(chunk, entry.get("time"))
        elif kind in _TEXTS or kind == "tool-call-chunks":
            self._run(_TEXTS.get(kind, "tool-call"), entry)

    def _run(self, kind: str, entry: Mapping[str, Any]) -> None:  # Any: as above
        gaps, texts = entry.get("dt"), entry.get("texts", ())
        time = entry.get("time0")
        if type(time) is not int:
            return
        end = time + sum(gap for gap in gaps if type(gap) is int) if isinstance(gaps, Sequence) else time
        block = self._block(entry.get("index"), kind, time, end)
        if block is not None and kind != "tool-call":
            block.parts.extend(text for text in texts if type(text) is str)

    def _chunk(self, chunk: Mapping[str, Any], time: Any) -> None:  # Any: as above
        kind, index = chunk.get("type"), chunk.get("index")
        if type(time) is not int or type(index) is not int:
            return
        if kind == "block-start":
            self._block(index, str(chunk.get("blockType")), time, time)
        elif kind in _DELTAS:
            block = self._block(index, _DELTAS[kind], time, time)
            if block is not None and type(chunk.get("text")) is str:
                block.parts.append(chunk["text"])
        elif kind == "tool-call-delta":
            self._block(index, "tool-call", time, time)
        elif kind == "block-end" and isinstance(whole := chunk.get("block"), Mapping):
            block = self._blocks.get(index) or self._block(index, str(whole.get("type")), time, time)
            if block is not None and type(whole.get("text")) is str:
                block.parts = [whole["text"]]

    def _block(self, index: Any, kind: str, start: int, end: int) -> _Block | None:  # Any: as above
        if type(index) is not int or kind not in ("text", "reasoning", "tool-call"):
            return None
        block = self._blocks.setdefault(index, _Block(kind, start, start))
        block.end = max(block.end, end)
        return block
