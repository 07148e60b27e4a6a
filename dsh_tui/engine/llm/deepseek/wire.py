"""Requests on the wire: a frozen request in, the body's bytes out. There is no other serialiser.

The same request gives the same bytes, on any day and in any process: what `sessions requests` prints
is what was sent. Optional fields are left out, never null. Source: capabilities A3; design §4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from dsh_tui.engine.base.lossless import dump_bytes, dumps
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


class Fragments:
    """Messages that are serialised already, by identity: the next request of a history repeats them all."""

    def __init__(self) -> None:
        # The parts are kept beside their text, so that no other object gets their ids.
        self._texts: dict[tuple[object, ...], tuple[object, str]] = {}

    def text(self, parts: tuple[object, ...], flag: object, make: Callable[[], str]) -> str:
        """The text that ``make`` gives for these very objects."""
        key = (flag, *map(id, parts))
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = (parts, make())
        return found[1]


def body_bytes(request: AnyRequest, known: Fragments | None = None) -> bytes:
    """Exactly what is sent. With ``known``, what earlier requests have in common is not made again; the
    bytes are the same."""
    if known is None:
        return dump_bytes(request_body(request))
    settings = _settings(request)
    head, rest = dumps({"model": request.config["model"]}), dumps(settings)
    messages = ",".join(_texts(request, known, thinking=_thinks(settings)))
    body = f'{head[:-1]},"messages":[{messages}],{rest[1:]}'
    if request.tools:
        tools = known.text((request.tools,), "tools", lambda: dumps(list(map(_function, request.tools))))
        body = f'{body[:-1]},"tools":{tools}}}'
    return body.encode()


def request_body(request: AnyRequest) -> dict[str, object]:
    """The JSON of the request, in the order in which it is written."""
    settings = _settings(request)
    messages = [] if not request.system else [_system(request.system)]
    for message, calls in paired(request.messages):
        messages += _wire_messages(message, calls, thinking=_thinks(settings))
    body = {"model": request.config["model"], "messages": messages, **settings}
    if request.tools:
        body["tools"] = list(map(_function, request.tools))
    return body


def _texts(request: AnyRequest, known: Fragments, *, thinking: bool) -> Iterator[str]:
    """Serialised messages; one text may hold an answer and the results of its calls."""
    if request.system:
        yield dumps(_system(request.system))
    for message, calls in paired(request.messages):
        parts = (message, *(call.answer for call in calls))
        text = known.text(parts, thinking, partial(_text, message, calls, thinking=thinking))
        if text:
            yield text


def _thinks(settings: Mapping[str, object]) -> bool:
    return "reasoning_effort" in settings


def _settings(request: AnyRequest) -> dict[str, object]:
    """What stands between messages and tools, in the order in which it is written."""
    config = request.config
    effort = config.get("reasoningEffort", DEFAULT_EFFORT)
    plain = isinstance(request, OneShotRequest) and request.purpose in PLAIN_PURPOSES
    thinking = effort != "off" and not plain
    settings: dict[str, object] = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "thinking": {"type": "enabled" if thinking else "disabled"},
    }
    if thinking:
        settings["reasoning_effort"] = effort
    if "temperature" in config:
        settings["temperature"] = config["temperature"]
    if "maxTokens" in config:
        settings["max_tokens"] = config["maxTokens"]
    if config.get("stop"):
        settings["stop"] = config["stop"]
    return settings


def _function(tool: ToolSchema) -> dict[str, object]:
    function = {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["parameters"],
    }
    return {"type": "function", "function": function}


def _system(text: str) -> dict[str, object]:
    return {"role": "system", "content": mend(text)}


def _text(message: Message, calls: tuple[PairedCall, ...], *, thinking: bool) -> str:
    return ",".join(map(dumps, _wire_messages(message, calls, thinking=thinking)))


def _wire_messages(
    message: Message, calls: tuple[PairedCall, ...], *, thinking: bool
) -> Iterator[dict[str, object]]:
    if message["role"] == "assistant":
        yield _assistant(message, calls, thinking=thinking)
        for call in calls:
            yield {"role": "tool", "tool_call_id": call.call["id"], "content": mend(call.result)}
        return
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
