"""Assembler: chunks in, the blocks of one assistant message out.

One partial per index, in the order first seen; the first ``block-end`` of an index is authoritative
and later deltas for it are ignored; nothing counts after ``finish``. Source: capabilities A1.
"""

from __future__ import annotations

from typing import cast

from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.llm.blocks import Block
from dsh_tui.engine.llm.chunks import Chunk, FinishReason
from dsh_tui.engine.llm.usage import Usage, usage_of


class _Partial:
    """A block whose end has not come yet."""

    __slots__ = ("call_id", "kind", "name", "pieces")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.pieces: list[str] = []
        self.call_id = ""
        self.name = ""

    def block(self, index: int) -> Block | None:
        text = "".join(self.pieces)
        if self.kind == "tool-call":
            call_id = self.call_id or f"call-{index}"
            return cast("Block", FrozenDict(type="tool-call", id=call_id, name=self.name, arguments=text))
        if self.kind in ("text", "reasoning") and text:
            return cast("Block", FrozenDict(type=self.kind, text=text))
        return None


class Assembler:
    """Folds the chunks of one stream. Reading it changes nothing, so it can be read at any time."""

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self.finish: FinishReason | None = None
        self._parts: dict[int, _Partial | Block] = {}

    def add(self, chunk: Chunk) -> None:
        """Take the next chunk; unknown kinds are skipped."""
        if self.finish is not None:
            return
        if chunk["type"] == "text-delta":
            self._open(chunk["index"], "text", chunk["text"])
        elif chunk["type"] == "reasoning-delta":
            self._open(chunk["index"], "reasoning", chunk["text"])
        elif chunk["type"] == "tool-call-delta":
            self._call(chunk["index"], chunk["id"], chunk.get("name"), chunk["argumentsDelta"])
        elif chunk["type"] == "block-start":
            self._open(chunk["index"], chunk["blockType"], "")
        elif chunk["type"] == "block-end":
            if not isinstance(self._parts.get(chunk["index"]), dict):
                self._parts[chunk["index"]] = chunk["block"]
        elif chunk["type"] == "usage":
            self.usage = usage_of(chunk["usage"])
        elif chunk["type"] == "finish":
            self.finish = chunk["reason"]

    def blocks(self) -> tuple[Block, ...]:
        """The content of the message. At the output limit calls are left out: they may be cut."""
        blocks = self._all()
        if self.finish is not None and self.finish["kind"] == "max-tokens":
            return tuple(block for block in blocks if block["type"] != "tool-call")
        return blocks

    def interrupted_blocks(self) -> tuple[Block, ...]:
        """What is worth keeping of a cut stream: text and reasoning that is not blank."""
        return tuple(
            block
            for block in self._all()
            if (block["type"] == "text" or block["type"] == "reasoning") and block["text"].strip()
        )

    def _all(self) -> tuple[Block, ...]:
        ended = (
            part.block(index) if isinstance(part, _Partial) else part for index, part in self._parts.items()
        )
        return tuple(block for block in ended if block is not None)

    def _open(self, index: int, kind: str, text: str) -> _Partial | None:
        part = self._parts.get(index)
        if part is None:
            part = self._parts[index] = _Partial(kind)
        if not isinstance(part, _Partial):
            return None
        if text:
            part.pieces.append(text)
        return part

    def _call(self, index: int, call_id: str, name: str | None, arguments: str) -> None:
        part = self._open(index, "tool-call", arguments)
        if part is not None:
            part.call_id = part.call_id or call_id
            part.name = part.name or name or ""
