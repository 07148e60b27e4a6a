"""Messages: one entry of a model request, in JSON form, frozen once made.

A tool result is a user-role message with exactly one ``tool-result`` block.
Source: core spec §3; capabilities A1.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.blocks import Block, text_block


class Source(TypedDict):
    """Who produced a message. Open registry: ``kind`` is user, plugin, model, tool, or a plugin's own."""

    kind: str
    plugin: NotRequired[str]
    provider: NotRequired[str]
    model: NotRequired[str]
    callId: NotRequired[str]
    replayState: NotRequired[Any]  # Any: opaque JSON of one provider


class Message(TypedDict):
    """``id`` is stable: a rewrite of the content keeps it."""

    id: str
    role: Literal["system", "user", "assistant"]
    content: tuple[Block, ...]
    source: Source


USER_SOURCE: Source = freeze(Source(kind="user"))


def plugin_source(plugin: str) -> Source:
    """The source of what a plugin adds."""
    return freeze(Source(kind="plugin", plugin=plugin))


def as_content(content: str | tuple[Block, ...] | list[Block]) -> tuple[Block, ...]:
    """Frozen blocks from text or blocks."""
    if isinstance(content, str):
        return (text_block(content),)
    return freeze(tuple(content))
