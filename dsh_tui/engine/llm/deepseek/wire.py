"""Requests on the wire: a frozen request in, the body's bytes out. There is no other serialiser.

The same request gives the same bytes, on any day and in any process: what `sessions requests` prints
is what was sent. Optional fields are left out, never null. Source: capabilities A3; design §4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.llm.deepseek.pairing import PairedCall, paired
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import AnyRequest, OneShotRequest
from dsh_tui.engine.llm.surrogates import mend

DEFAULT_EFFORT = "high"
PLAIN_PURPOSES = ("session-title",)
"""One-shots that are never worth thinking about."""
MAX_NAME = 64
_BAD_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")


def body_bytes(request: AnyRequest) -> bytes:
    """Exactly what is sent."""
    return dump_bytes(request_body(request))


def request_body(request: AnyRequest) -> dict[str, object]:
    """The JSON of the request, in the order in which it is written."""
    config = request.config
    effort = config.get("reasoningEffort", DEFAULT_EFFORT)
    plain = isinstance(request, OneShotRequest) and request.purpose in PLAIN_PURPOSES
    thinking = effort != "off" and not plain
    body: dict[str, object] = {
        "model": config["model"],
        "messages": list(_messages(request.system, request.messages, thinking=thinking)),
        "stream": True,
        "stream_options": {"include_usage": True},
        "thinking": {"type": "enabled" if thinking else "disabled"},
    }
    if thinking:
        body["reasoning_effort"] = effort
    if "temperature" in config:
        body["temperature"] = config["temperature"]
    if "maxTokens" in config:
        body["max_tokens"] = config["maxTokens"]
    if config.get("stop"):
        body["stop"] = config["stop"]
    if request.tools:
        body["tools"] = [{"type": "function", "function": _function(tool)} for tool in request.tools]
    return body


def _function(tool: ToolSchema) -> dict[str, object]:
    return {"name": tool["name"], "description": tool["description"], "parameters": tool["parameters"]}


def _messages(
    system: str | None, messages: tuple[Message, ...], *, thinking: bool
) -> Iterator[dict[str, object]]:
    if system:
        yield {"role": "system", "content": mend(system)}
    for message, calls in paired(messages):
        if message["role"] == "assistant":
            yield _assistant(message, calls, thinking=thinking)
            for call in calls:
                yield {"role": "tool", "tool_call_id": call.call["id"], "content": mend(call.result)}
            continue
        texts = [block["text"] for block in message["content"] if block["type"] == "text"]
        if texts:
            yield {"role": message["role"], "content": mend("\n\n".join(texts))}


def _assistant(message: Message, calls: tuple[PairedCall, ...], *, thinking: bool) -> dict[str, object]:
    """Content is ``""`` where there is none: a null would be refused for ever after."""
    content = message["content"]
    wire: dict[str, object] = {
        "role": "assistant",
        "content": mend("".join(block["text"] for block in content if block["type"] == "text")),
    }
    reasoning = "".join(block["text"] for block in content if block["type"] == "reasoning")
    # The API wants the field on every turn with calls once thinking is on, also after a switch of
    # model or effort left turns without any.
    if reasoning or (thinking and calls):
        wire["reasoning_content"] = mend(reasoning)
    if calls:
        wire["tool_calls"] = [_call(call) for call in calls]
    return wire


def _call(paired_call: PairedCall) -> dict[str, object]:
    call = paired_call.call
    # A model may make up a name that the API then refuses to hear back.
    name = _BAD_IN_NAME.sub("_", call["name"])[:MAX_NAME] or "unknown"
    function = {"name": name, "arguments": mend(call["arguments"]) or "{}"}
    return {"id": call["id"], "type": "function", "function": function}
