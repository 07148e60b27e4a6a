"""What the real chat API refuses, as one function: a body in, the reason for a 400 out.

The fake is never kinder than the provider: a history that would brick a session in production
(null content, a call without its result, a turn without its reasoning) fails the test that built it.
Source: capabilities A3; design §7.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Body = Mapping[str, Any]  # Any: JSON that a client sent; its shape is what is being checked

FIELDS = {
    "model",
    "messages",
    "stream",
    "stream_options",
    "thinking",
    "reasoning_effort",
    "temperature",
    "top_p",
    "max_tokens",
    "stop",
    "tools",
    "tool_choice",
    "response_format",
}
MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "reasoning_content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
EFFORTS = {"low", "medium", "high", "max"}
MAX_OUTPUT = 256_000
MAX_TOOLS = 128
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


def refusal(body: object) -> str | None:
    """Why the API would answer 400, or None."""
    if not isinstance(body, dict):
        return "the body is not a JSON object"
    return next(_problems(body), None)


def error_body(message: str, kind: str = "invalid_request_error") -> dict[str, object]:
    """An error in the provider's shape."""
    return {"error": {"message": message, "type": kind, "param": None, "code": "invalid_request_error"}}


def too_long(body: Body, window: int) -> str | None:
    """Why a model of this window would answer 400, or None. A token is four characters here."""
    said = json.dumps([body["messages"], body.get("tools", ())], ensure_ascii=False)
    prompt, completion = len(said) // 4, body.get("max_tokens", 0)
    return None if prompt + completion <= window else too_long_words(window, prompt, completion)


def too_long_words(window: int, prompt: int, completion: int = 0) -> str:
    """What the provider says of it."""
    return (
        f"This model's maximum context length is {window} tokens. However, you requested "
        f"{prompt + completion} tokens ({prompt} in the messages, {completion} in the completion). "
        "Please reduce the length of the messages or completion."
    )


def _problems(body: Body) -> Iterator[str]:
    yield from (f"unknown field `{name}`" for name in body if name not in FIELDS)
    yield from (f"`{name}`: null is not allowed" for name, value in body.items() if value is None)
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "Model Not Exist"
    yield from _sampling(body)
    yield from _tools(body.get("tools", ()), given="tools" in body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "`messages`: a non-empty array is required"
        return
    thinking = body.get("thinking", {}).get("type") != "disabled"
    for index, message in enumerate(messages):
        yield from _message(index, message, thinking=thinking)
    yield from _pairing(messages)
    if messages[-1]["role"] == "assistant":
        yield "The last message of deepseek-reasoner must be a user message or a tool message"
    if _has_surrogate(body):
        yield "Failed to parse the request body as JSON: lone surrogate in hex escape"


def _sampling(body: Body) -> Iterator[str]:
    options = body.get("stream_options")
    if body.get("stream") is True:
        if options != {"include_usage": True}:
            yield "stream_options.include_usage must be true"
    elif options is not None:
        yield "stream_options can only be set when stream is true"
    if body.get("thinking", {"type": "enabled"}) not in ({"type": "enabled"}, {"type": "disabled"}):
        yield "thinking: expected {type: enabled|disabled}"
    if "reasoning_effort" in body and body["reasoning_effort"] not in EFFORTS:
        yield f"reasoning_effort: unknown variant `{body['reasoning_effort']}`"
    limit = body.get("max_tokens", 1)
    if type(limit) is not int or not 1 <= limit <= MAX_OUTPUT:
        yield f"Invalid max_tokens value, the valid range of max_tokens is [1, {MAX_OUTPUT}]"


def _tools(tools: object, *, given: bool) -> Iterator[str]:
    if not given:
        return
    if not isinstance(tools, list) or not 1 <= len(tools) <= MAX_TOOLS:
        yield f"`tools`: 1 to {MAX_TOOLS} entries are required"
        return
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if (
            not isinstance(function, dict)
            or tool.get("type") != "function"
            or set(tool) != {"type", "function"}
        ):
            yield f"tools[{index}]: expected {{type: function, function}}"
            continue
        name = function.get("name")
        if not isinstance(name, str) or not _NAME.match(name):
            yield f"Invalid 'tools[{index}].function.name': does not match ^[a-zA-Z0-9_-]{{1,64}}$"
        elif name in seen:
            yield f"Tool names must be unique: {name}"
        seen.add(str(name))
        if set(function) - {"name", "description", "parameters"}:
            yield f"tools[{index}].function: unknown field"
        if not isinstance(function.get("parameters"), dict) or function["parameters"].get("type") != "object":
            yield f"Invalid schema for function '{name}': schema must be of type \"object\""


def _message(index: int, message: object, *, thinking: bool) -> Iterator[str]:
    where = f"messages[{index}]"
    if not isinstance(message, dict) or message.get("role") not in MESSAGE_FIELDS:
        yield f"{where}.role: unknown variant"
        return
    role = message["role"]
    yield from (f"{where}: unknown field `{name}`" for name in message if name not in MESSAGE_FIELDS[role])
    if not isinstance(message.get("content"), str):
        yield f"{where}: invalid content: expected a string ({role} message)"
    if "reasoning_content" in message and not isinstance(message["reasoning_content"], str):
        yield f"{where}.reasoning_content: expected a string"
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield f"{where}: missing field `tool_call_id`"
    if "tool_calls" not in message:
        return
    calls = message["tool_calls"]
    if not isinstance(calls, list) or not calls:
        yield f"{where}.tool_calls: empty array; expected at least 1 element"
        return
    yield from _calls(where, calls)
    if thinking and "reasoning_content" not in message:
        yield f"The reasoning_content in the thinking mode must be passed back to the API ({where})"


def _calls(where: str, calls: Sequence[object]) -> Iterator[str]:
    seen: set[str] = set()
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if (
            not isinstance(call, dict)
            or set(call) != {"id", "type", "function"}
            or call["type"] != "function"
            or not isinstance(function, dict)
            or set(function) != {"name", "arguments"}
            or not isinstance(function["arguments"], str)
        ):
            yield f"{where}.tool_calls[{number}]: expected {{id, type, function: {{name, arguments}}}}"
            continue
        if not isinstance(call["id"], str) or not call["id"]:
            yield f"{where}.tool_calls[{number}].id: a non-empty string is required"
        if call["id"] in seen:
            yield f"{where}: duplicate tool call id {call['id']}"
        seen.add(call["id"])
        if not isinstance(function["name"], str) or not _NAME.match(function["name"]):
            yield f"{where}.tool_calls[{number}].function.name: does not match ^[a-zA-Z0-9_-]{{1,64}}$"


def _pairing(messages: Sequence[Body]) -> Iterator[str]:
    """Results stand directly behind their calls, one each, in the order of the calls."""
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if not waiting or message["tool_call_id"] not in waiting:
                yield (
                    f"messages[{index}]: Messages with role 'tool' must be a response to a preceding "
                    "message with 'tool_calls'"
                )
            elif waiting.pop(0) != message["tool_call_id"]:
                yield f"messages[{index}]: tool results are not in the order of their calls"
            continue
        if waiting:
            break
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    if waiting:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. (insufficient tool messages following tool_calls message: {', '.join(waiting)})"
        )


def _has_surrogate(value: object) -> bool:
    if isinstance(value, str):
        return not value.isascii() and _SURROGATE.search(value) is not None
    if isinstance(value, dict):
        return any(_has_surrogate(item) for item in value.values())
    return isinstance(value, list) and any(_has_surrogate(item) for item in value)
