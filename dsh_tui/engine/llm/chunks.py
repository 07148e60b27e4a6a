"""Chunks: what a provider streams, in the exact JSON form of ``assistant/chunk``.

Order: deltas belong to an open block; ``block-end`` is authoritative and the first one wins;
at most one ``usage``; ``finish`` is last and nothing follows it. Source: capabilities A1.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from dsh_tui.engine.llm.blocks import Block
from dsh_tui.engine.llm.usage import Usage


class Failure(TypedDict):
    """Why a request failed, for people (``message``) and for programs (``code``)."""

    message: str
    code: str
    status: NotRequired[int]
    providerRetryAfterMs: NotRequired[int]
    requestId: NotRequired[str]
    unsent: NotRequired[bool]
    """True if not a byte of the request left; absent where it did, or may have."""


class Stop(TypedDict):
    """The model is done, or wants its tools run."""

    kind: Literal["stop", "tool-calls", "max-tokens"]


class Failed(TypedDict):
    """The stream ended without an answer."""

    kind: Literal["aborted", "error"]
    failure: Failure


FinishReason: TypeAlias = Stop | Failed


class BlockStart(TypedDict):
    """A block opens at ``index``."""

    type: Literal["block-start"]
    index: int
    blockType: str


class TextDelta(TypedDict):
    """More text for the block at ``index``."""

    type: Literal["text-delta", "reasoning-delta"]
    index: int
    text: str


class ToolCallDelta(TypedDict):
    """More raw argument text for the call at ``index``."""

    type: Literal["tool-call-delta"]
    index: int
    id: str
    name: NotRequired[str]
    argumentsDelta: str


class BlockEnd(TypedDict):
    """The block at ``index`` is complete, and this is it."""

    type: Literal["block-end"]
    index: int
    block: Block


class UsageChunk(TypedDict):
    """What the request cost."""

    type: Literal["usage"]
    usage: Usage


class Finish(TypedDict):
    """The stream is over."""

    type: Literal["finish"]
    reason: FinishReason


Chunk: TypeAlias = BlockStart | TextDelta | ToolCallDelta | BlockEnd | UsageChunk | Finish


def never_left(reason: FinishReason) -> bool:
    """Whether a stream failed before its request left."""
    if reason["kind"] == "error" or reason["kind"] == "aborted":
        return reason["failure"].get("unsent", False)
    return False
