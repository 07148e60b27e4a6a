"""Content blocks: what messages are made of, in the exact JSON form of the log.

An open registry: plugins may add kinds, so consumers fall through unknown ``type`` tags.
Source: core spec §3; capabilities A1.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from dsh_tui.engine.base.frozen import freeze


class TextBlock(TypedDict):
    """Prose; Markdown where the model wrote it."""

    type: Literal["text"]
    text: str


class ReasoningBlock(TypedDict):
    """What the model thought before it answered; replayed verbatim to the provider."""

    type: Literal["reasoning"]
    text: str


class ToolCallBlock(TypedDict):
    """A call the model asks for. ``arguments`` is the raw text it sent, JSON or not."""

    type: Literal["tool-call"]
    id: str
    name: str
    arguments: str


class ToolResultBlock(TypedDict):
    """The answer to one call; travels in a user-role message of its own."""

    type: Literal["tool-result"]
    toolCallId: str
    content: tuple[TextBlock, ...]
    isError: NotRequired[bool]


Block: TypeAlias = TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock


def text_block(text: str) -> TextBlock:
    """A frozen text block."""
    return freeze(TextBlock(type="text", text=text))


def text_of(content: tuple[Block, ...] | list[Block]) -> str:
    """All text blocks of a content, joined; other kinds are skipped."""
    return "".join(block["text"] for block in content if block["type"] == "text")
