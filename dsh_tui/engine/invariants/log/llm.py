"""LLM: the grammar of each stream, and what a step may make of it.

Blocks open once, get deltas of their own kind and end once; usage comes once; ``finish`` is last. A
stream that succeeded is the last of its step, and only an answer that was cut short may do without one.

Source: core spec §9 (llm); capabilities A1.
"""

from __future__ import annotations

from typing import Any, ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event

_DELTAS = {"text-delta": "text", "reasoning-delta": "reasoning", "tool-call-delta": "tool-call"}


class LlmCheck(LogCheck):
    """Streams are well formed, and answers stand on complete ones."""

    owner: ClassVar[str] = "llm"
    tags = frozenset({"assistant/chunk", "assistant/message", "step/start", "turn/end"})

    def __init__(self) -> None:
        self._begin_step()

    def check(self, event: Event) -> None:
        if event.type == "assistant/chunk":
            self._check_chunk(event.data["chunk"])
        elif event.type == "assistant/message":
            self._check_message(event)
        elif event.type == "turn/end":
            stopped = event.data["reason"]["kind"] == "interrupted"
            self.require(stopped or not self._streaming, "the turn ends inside a stream")

    def advance(self, event: Event) -> None:
        if event.type == "assistant/chunk":
            self._read(event.seq, event.data["chunk"])
        elif event.type in ("step/start", "turn/end"):
            self._begin_step()

    def _begin_step(self) -> None:
        self._succeeded = False
        self._streaming = False
        self._begin_stream()

    def _begin_stream(self) -> None:
        self._open: dict[int, str] = {}
        self._ended: set[int] = set()
        self._counted = False
        self._seqs: list[int] = []

    def _check_chunk(self, chunk: Any) -> None:  # Any: JSON of a chunk
        self.require(not self._succeeded, "a chunk after the finish of a complete answer")
        kind = chunk["type"]
        if kind == "usage":
            self.require(not (self._streaming and self._counted), "usage is told a second time")
        elif kind in _DELTAS or kind in ("block-start", "block-end"):
            self._check_block(chunk)

    def _check_block(self, chunk: Any) -> None:  # Any: as above
        index, kind = chunk["index"], chunk["type"]
        known = self._open.get(index) if self._streaming else None
        over = self._streaming and index in self._ended
        if kind == "block-start":
            self.require(known is None and not over, f"block {index} starts a second time")
            return
        if kind == "block-end":
            self.require(not over, f"block {index} ends a second time")
            self.require(known in (None, chunk["block"]["type"]), f"block {index} ends as another kind")
            return
        self.require(not over, f"a delta for block {index}, which has ended")
        self.require(known in (None, _DELTAS[kind]), f"a {kind} for block {index}, which is {known}")

    def _check_message(self, event: Event) -> None:
        if event.surface_op is not None and event.surface_op["op"] == "replace":
            return
        cited = event.source_event_seqs
        if cited is None or not self._seqs:  # the chunks were not kept
            return
        if not event.data.get("interrupted"):
            self.require(self._succeeded, "an answer without a complete stream before it")
        self.require(list(cited) == self._seqs, "an answer cites other chunks than its stream's")

    def _read(self, seq: int, chunk: Any) -> None:  # Any: as above
        if not self._streaming:
            self._begin_stream()
            self._streaming = True
        self._seqs.append(seq)
        kind = chunk["type"]
        if kind == "finish":
            self._streaming = False
            self._succeeded = chunk["reason"]["kind"] not in ("error", "aborted")
        elif kind == "usage":
            self._counted = True
        elif kind == "block-start":
            self._open[chunk["index"]] = chunk["blockType"]
        elif kind == "block-end":
            self._ended.add(chunk["index"])
        elif kind in _DELTAS:
            self._open.setdefault(chunk["index"], _DELTAS[kind])
