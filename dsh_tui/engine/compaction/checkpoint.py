"""The checkpoint: the message that stands for the early part of a conversation. Pure.

It holds the summary and, where the person's last prompt is among what it stands for, that prompt word
for word: what the model works on is never left to a summary. Source: core spec §10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dsh_tui.engine.agent.durable_context import framed
from dsh_tui.engine.llm.blocks import Block, text_block, text_of
from dsh_tui.engine.llm.messages import Message, plugin_source

PLUGIN: Final = "compaction"
SOURCE: Final = plugin_source(PLUGIN)
_LEAD: Final = (
    "The conversation up to here was long, and these notes of yours now stand for its early part. "
    "Go on from them; do not answer them."
)
_PROMPT: Final = "The last thing that the person asked, word for word, and what you are working on:"


def checkpoint_content(summary: str, prompt: str) -> tuple[Block, ...]:
    """Its blocks; ``prompt`` is empty where the conversation goes on with a prompt of its own."""
    notes = text_block(f"{_LEAD}\n\n{framed('earlier-conversation', summary)}")
    return (notes, text_block(f"{_PROMPT}\n\n{framed('prompt', prompt)}\n")) if prompt else (notes,)


def is_checkpoint(message: Message) -> bool:
    """Whether it stands for others."""
    return message["source"].get("plugin") == PLUGIN


def last_prompt(messages: Sequence[Message]) -> tuple[int, str]:
    """Place and text of what a person said last, in its own words or in a checkpoint; -1 for nothing."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message["source"]["kind"] == "user":
            return place, text_of(message["content"])
        if is_checkpoint(message) and len(message["content"]) > 1:
            return place, _quoted(text_of(message["content"][1:]))
    return -1, ""


def _quoted(text: str) -> str:
    return text.partition("<prompt>\n")[2].rpartition("\n</prompt>")[0]
