"""The parts of a request as text: settings, system sections, tools, messages. Pure.

The log keeps the system prompt as one text, and beside it which plugin wrote which part of that. Older
logs don't say; theirs is shown by its headings, without authors. Messages carry their source.
Source: ux spec §3.1; core spec §5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.projection.request_origins import RequestOrigins

_HEADING = re.compile(r"^#{1,3} +(.+?) *#*$", re.MULTILINE)
ASCII_TOKENS, OTHER_TOKENS = 0.3, 0.6
"""Tokens a character, as the provider gives them for English and for Chinese."""


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of the system prompt under its heading."""

    title: str
    text: str


def sections(system: str) -> list[Section]:
    """The system prompt cut at its headings; together they are the whole text."""
    found = list(_HEADING.finditer(system))
    if not found:
        return [Section("opening", system)]
    starts = [match.start() for match in found]
    lead = system[: starts[0]]
    if not lead.strip():
        starts[0] = 0
    out = [Section("opening", lead)] if lead.strip() else []
    for match, start, end in zip(found, starts, [*starts[1:], len(system)], strict=True):
        out.append(Section(match[1], system[start:end]))
    return out


def keyed_sections(system: str, origins: RequestOrigins | None) -> Iterator[tuple[str, str, str, str]]:
    """Title, text, a key that tells two sections of one title apart, and the plugin behind it, if known."""
    if not system:
        return
    if origins is not None:
        pieces = [(one.name or "(a listener)", one.text, one.plugin) for one in origins.sections(system)]
    else:
        pieces = [(section.title, section.text, "") for section in sections(system)]
    seen: dict[str, int] = {}
    for title, text, plugin in pieces:
        seen[title] = seen.get(title, 0) + 1
        yield title, text, f"{title}#{seen[title]}", plugin


def tool_text(tool: Mapping[str, Any]) -> str:  # Any: JSON of a tool schema
    """Description and parameters."""
    return f"{tool['description']}\n\n{json.dumps(_thawed(tool['parameters']), indent=2, ensure_ascii=False)}"


def message_text(message: Message) -> str:
    """All that a message says, calls and results included."""
    return "\n\n".join(_block_texts(message))


def _block_texts(message: Message) -> Iterator[str]:
    for block in message["content"]:
        if block["type"] == "reasoning":
            yield f"[reasoning]\n{block['text']}"
        elif block["type"] == "tool-call":
            yield f"[call {block['name']}]\n{block['arguments']}"
        elif block["type"] == "tool-result":
            yield plain_text(block["content"]) or "(no output)"
        else:
            yield plain_text([block])


def message_label(message: Message, call_names: Mapping[str, str]) -> str:
    """Who speaks: ``user``, ``assistant``, or the tool whose result it is."""
    for block in message["content"]:
        if block["type"] == "tool-result":
            name = call_names.get(block["toolCallId"], "")
            return f"result {name}".rstrip()
    calls = [block["name"] for block in message["content"] if block["type"] == "tool-call"]
    return f"{message['role']} → {', '.join(calls)}" if calls else message["role"]


def producer(message: Message) -> str:
    """The plugin or agent that a message came from; empty for people, models and tools."""
    source: Mapping[str, Any] = message["source"]
    kind = str(source.get("kind", ""))
    return "" if kind in ("user", "model", "tool") else str(source.get("plugin") or kind)


def settings_text(config: Mapping[str, Any]) -> str:  # Any: JSON of the call's settings
    """One setting a line."""
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else dumps(value)}" for name, value in config.items()
    )


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return round(plain * ASCII_TOKENS + (len(text) - plain) * OTHER_TOKENS)


def _thawed(value: object) -> object:
    return json.loads(dumps(value))
