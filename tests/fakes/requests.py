"""Requests and messages for tests, frozen as the loop makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.blocks import Block, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.llm.messages import Message, Source
from dsh_tui.engine.llm.request import ModelRequest

BASH: ToolSchema = {
    "name": "bash",
    "description": "Run a command.",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string"}, "description": {"type": "string"}},
        "required": ["command"],
    },
}


def user(text: str) -> Message:
    return _message("user", [TextBlock(type="text", text=text)])


def assistant(text: str = "", *, reasoning: str = "", calls: Sequence[tuple[str, str, str]] = ()) -> Message:
    """``calls`` are ``(id, name, arguments)``."""
    content: list[Block] = []
    if reasoning:
        content.append(ReasoningBlock(type="reasoning", text=reasoning))
    if text:
        content.append(TextBlock(type="text", text=text))
    content += [
        ToolCallBlock(type="tool-call", id=call_id, name=name, arguments=arguments)
        for call_id, name, arguments in calls
    ]
    return _message("assistant", content)


def result(call_id: str, text: str) -> Message:
    block = ToolResultBlock(
        type="tool-result", toolCallId=call_id, content=(TextBlock(type="text", text=text),)
    )
    return _message("user", [block])


def request(*messages: Message, **fields: Any) -> ModelRequest:  # Any: fields of config or request
    """A request of the loop; config fields and request fields by name."""
    given: dict[str, Any] = {"session_id": "session-1", "signal": CancelSignal()}  # Any: as above
    given.update({name: fields.pop(name) for name in (*given, "system", "tools") if name in fields})
    config = freeze({"provider": "deepseek", "model": "deepseek-flash", **fields})
    return ModelRequest(config=config, messages=messages or (user("hi"),), **given)  # type: ignore[arg-type]  # as above


def _message(role: Literal["user", "assistant"], content: list[Block]) -> Message:
    source = Source(kind=role)
    return freeze(Message(id="msg-1", role=role, content=tuple(content), source=source))
