"""What the scripted model server may answer: small frozen values and the constructors for them.

A script is a list of these. ``tokens`` here are stream events, about four characters each.
"""

from __future__ import annotations

import asyncio
import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]  # Any: JSON of requests and replies
Ending: TypeAlias = Literal["done", "eof", "reset", "stall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A streamed answer. ``gate`` is awaited once ``gate_after`` deltas are out."""

    text: str = ""
    thinking: str = ""
    tool_calls: tuple[tuple[str, str], ...] = ()
    usage: JsonObject | None = None
    finish: str | None = None
    rate: float = 0
    """Deltas a second; 0: as fast as the socket takes them."""
    chunk: int = 4
    gate: asyncio.Event | None = None
    gate_after: int = 0
    ending: Ending = "done"
    pieces: tuple[str, ...] | None = None
    """The text already cut into deltas; wins over ``text``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An answer that is no stream."""

    status: int
    body: bytes = b""
    headers: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """These bytes as the body, one HTTP chunk for each piece between ``splits``."""

    body: bytes
    splits: tuple[int, ...] = ()
    content_type: str = "text/event-stream"
    ending: Ending = "done"


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection, or leave it silent, before any byte of an answer."""

    silent: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """Answer with ``then`` once the test sets ``event``."""

    event: asyncio.Event
    then: Answer


Answer: TypeAlias = "Reply | Status | Raw | Drop | Hold"


def reply(
    text: str = "",
    *,
    thinking: str = "",
    tool_calls: Iterable[tuple[str, object]] = (),
    usage: JsonObject | None = None,
    finish: str | None = None,
    rate: float = 0,
    chunk: int = 4,
    gate: asyncio.Event | None = None,
    gate_after: int = 0,
    ending: Ending = "done",
) -> Reply:
    """A streamed answer; arguments of calls may be an object or raw text."""
    calls = tuple((name, args if isinstance(args, str) else json.dumps(args)) for name, args in tool_calls)
    return Reply(
        text=text,
        thinking=thinking,
        tool_calls=calls,
        usage=usage,
        finish=finish,
        rate=rate,
        chunk=chunk,
        gate=gate,
        gate_after=gate_after,
        ending=ending,
    )


def status(code: int, body: object = b"", headers: JsonObject | None = None) -> Status:
    """An HTTP error; ``body`` may be bytes, text or JSON."""
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers = {"content-type": "application/json", **(headers or {})}
    return Status(status=code, body=body, headers=headers or {})


def raw(
    body: bytes,
    splits: Sequence[int] = (),
    *,
    content_type: str = "text/event-stream",
    ending: Ending = "done",
) -> Raw:
    """A body as it is."""
    return Raw(body=body, splits=tuple(splits), content_type=content_type, ending=ending)


def stall(text: str = "", *, headers: bool = True) -> Answer:
    """Some text, then silence on an open connection."""
    return reply(text, ending="stall") if headers else Drop(silent=True)


def reset(text: str = "", *, tool_calls: Iterable[tuple[str, object]] = ()) -> Reply:
    """Some deltas, then a TCP reset."""
    return reply(text, tool_calls=tool_calls, ending="reset")


def drop() -> Drop:
    """The connection closes before a single byte of an answer."""
    return Drop()


def eof_without_done(
    text: str = "", *, finish: str | None = None, tool_calls: Iterable[tuple[str, object]] = ()
) -> Reply:
    """The body ends cleanly without ``[DONE]``; without a finish reason too, unless one is given."""
    return reply(text, finish=finish, tool_calls=tool_calls, ending="eof")


def hold(event: asyncio.Event, then: Answer | None = None) -> Hold:
    """A gate that the test opens."""
    return Hold(event, then if then is not None else reply("Ok."))


def from_json(entry: object) -> Answer:
    """One entry of a script file: a text, ``"stall"``, or ``{"status": 429, …}`` and the like."""
    match entry:
        case "stall":
            return stall()
        case "reset":
            return reset()
        case "drop":
            return drop()
        case "eof_without_done":
            return eof_without_done()
        case str():
            return reply(entry)
        case dict():
            return _from_object(entry)
    raise ValueError(f"not an answer: {entry!r}")


def _from_object(entry: JsonObject) -> Answer:
    if "status" in entry:
        return status(entry["status"], entry.get("body", b""), entry.get("headers"))
    if "raw" in entry:
        return raw(entry["raw"].encode(), entry.get("splits", ()))
    return reply(**{**entry, "tool_calls": [tuple(call) for call in entry.get("tool_calls", ())]})


# -- what to answer when the script is empty: said in the prompt itself ------------------------------

_DIRECTIVE = re.compile(r"\bbench((?:\s+\w+=\S+)+)")
_SHELLS = ("bash", "shell", "run_shell_command", "exec_command", "execute", "terminal")
_PROSE = (
    "every part of the harness keeps its own small state and says what changed since the last frame so that "
    "people can follow along while the model writes and nothing waits for more than it needs"
)


def default_answer(body: JsonObject) -> Reply:
    """The reply that the last directive asks for, such as ``bench n=2000 r=100 id=7``; else ``Ok.``"""
    system = "".join(m["content"] for m in body["messages"] if m["role"] == "system")
    if "tools" not in body and "title" in system.lower():
        return reply("Bench run")
    messages = [message for message in body["messages"] if message["role"] != "system"]
    asked = next(
        (
            (index, found[-1].group(1))
            for index, message in reversed(list(enumerate(messages)))
            if message["role"] == "user" and (found := list(_DIRECTIVE.finditer(message["content"])))
        ),
        None,
    )
    if asked is None:
        return reply("Ok.")
    index, words = asked
    options = dict(word.split("=", 1) for word in words.split())
    answered = any(message["role"] == "tool" for message in messages[index + 1 :])
    call = None if answered or "tool" not in options else _shell_call(body, options["tool"].replace("+", " "))
    thinking = "".join(markdown(int(options.get("think", 0)), "think")) if "think" in options else ""
    rate = float(options.get("r", 0))
    if call is not None:
        return reply("I will run a command.\n", thinking=thinking, tool_calls=[call], rate=rate)
    pieces = markdown(int(options.get("n", 50)), options.get("id", "0"))
    return Reply(pieces=pieces, thinking=thinking, rate=rate)


def _shell_call(body: JsonObject, command: str) -> tuple[str, object] | None:
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in body.get("tools", ())}
    name = next((name for name in _SHELLS if name in tools), None)
    if name is None:
        return None
    args: dict[str, object] = {}
    for key in tools[name].get("properties", {}):
        if key in ("command", "cmd"):
            args[key] = command
        elif key == "description":
            args[key] = "Run a command"
    return name, args or {"command": command}


@functools.lru_cache(maxsize=16)
def markdown(count: int, marker: str) -> tuple[str, ...]:
    """Exactly ``count`` (at least 3) deltas of mixed Markdown that end in ``END-OF-REPLY-<marker>``."""
    body = max(1, count - 3)
    pieces: list[str] = []
    vocabulary = _PROSE.split()
    section, cursor = 0, 0

    def words(number: int) -> str:
        nonlocal cursor
        cursor += number
        return " ".join(vocabulary[(cursor + k * 5) % len(vocabulary)] for k in range(number))

    while len(pieces) < body:
        section += 1
        parts = [f"## Part {section}\n\n"]
        parts += [f"{words(40)} with **{words(2)}** and `name_{section}`.\n\n" for _ in range(2)]
        parts += [f"- point {section}.{k}: {words(4)}\n" for k in range(4)]
        parts += ["\n| name | value |\n| --- | --- |\n"] + [f"| {words(1)} | {k} |\n" for k in range(3)]
        parts += [f"\n```python\ndef part_{section}(x: int) -> int:\n    return x + {section}\n```\n\n"]
        text = "".join(parts)
        pieces += [text[start : start + 4] for start in range(0, len(text), 4)]
    pieces = pieces[:body]
    closing = "\n```\n\n" if "".join(pieces).count("```") % 2 else "\n\n"
    return (*pieces, closing, f"END-OF-REPLY-{marker}", "\n")
