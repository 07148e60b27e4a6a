"""Pairing: every call of a history gets exactly one result, directly behind it, in the order of the calls.

A session that was cut, forked or imported may lack this; the provider would refuse all its requests
from then on. The log is not touched: this is done anew for each request, so it needs no migration.
Source: capabilities A3; design §7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsh_tui.engine.llm.blocks import ToolCallBlock, ToolResultBlock, text_of
from dsh_tui.engine.llm.messages import Message

LOST_RESULT = (
    "Cancelled: no result of this call was recorded. It may have run in part; check before you repeat it."
)
EMPTY_RESULT = "(no output)"


@dataclass(slots=True)
class PairedCall:
    """A call and the block that answers it, if any does."""

    call: ToolCallBlock
    answer: ToolResultBlock | None = None

    @property
    def result(self) -> str:
        """The text of the answer; what to say where there is none."""
        if self.answer is None:
            return LOST_RESULT
        return text_of(self.answer["content"]) or EMPTY_RESULT


def paired(messages: Sequence[Message]) -> Iterator[tuple[Message, tuple[PairedCall, ...]]]:
    """Each message with the calls it makes. Results are found wherever they stand; those without a
    call are left out."""
    waiting: dict[str, PairedCall] = {}
    calls: list[tuple[PairedCall, ...]] = []
    for message in messages:
        made: list[PairedCall] = []
        for block in message["content"]:
            if block["type"] == "tool-call" and message["role"] == "assistant":
                made.append(PairedCall(block))
                waiting[block["id"]] = made[-1]
            elif block["type"] == "tool-result" and (call := waiting.pop(block["toolCallId"], None)):
                call.answer = block
        calls.append(tuple(made))
    return zip(messages, calls, strict=True)
