"""A moment of a session in one line: a sign and a few words. Pure; unknown types give their name.

Source: ux spec §3.4 (time-travel).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from dsh_tui.engine.llm.usage import prompt_tokens, usage_of
from dsh_tui.engine.projection.cards import one_line, present_call
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.session.event import Event

Weight = Literal["turn", "prompt", "plain", "quiet", "warning"]
Words = tuple[str, str, Weight]
Data = Mapping[str, Any]  # Any: event data, shape by type
LONGEST: Final = 120
_DELTAS: Final = {"text-delta": "writes", "reasoning-delta": "thinks", "tool-call-delta": "writes a call"}
_BLOCKS: Final = {"text": "text", "reasoning": "thinking", "tool-call": "a call"}


def moment_words(event: Event, deltas: int = 0) -> Words:
    """Sign, words, and how much they matter. ``deltas`` is how many streamed pieces it stands for."""
    try:
        if event.type == "assistant/chunk":
            return _streamed(event.data["chunk"], deltas)
        say = _WORDS.get(event.type)
        return ("·", event.type, "quiet") if say is None else say(event.data)
    except (AttributeError, KeyError, TypeError):  # a log of another version may have another shape
        return "·", event.type, "quiet"


def _streamed(chunk: Data, deltas: int) -> Words:
    kind = chunk["type"]
    if kind in _DELTAS:
        return "…", f"{_DELTAS[kind]}, {deltas} piece{'' if deltas == 1 else 's'}", "quiet"
    if kind == "usage":
        return "…", _counted(chunk["usage"]), "quiet"
    if kind == "finish":
        return "…", f"the stream is over: {chunk['reason']['kind']}", "quiet"
    what = chunk["blockType"] if kind == "block-start" else chunk["block"]["type"]
    return "…", f"{_BLOCKS[what]} {'begins' if kind == 'block-start' else 'ends'}", "quiet"


def _counted(given: object) -> str:
    usage = usage_of(given)
    if usage is None:
        return "counts that say nothing"
    return f"{prompt_tokens(usage):,} tokens in, {usage['outputTokens']:,} out"


def _came(data: Data) -> Words:
    """A whole that stands for pieces which nobody kept."""
    return "…", one_line(plain_text(data["content"]), LONGEST) or "an attempt without words", "quiet"


def _goes_to(data: Data) -> Words:
    window = data.get("contextWindow")
    room = f", {window:,} tokens of context" if window else ""
    return "·", f"goes to {data['provider']}/{data['model']}{room}", "quiet"


def _said(sign: str, weight: Weight) -> Callable[[Data], Words]:
    return lambda data: (sign, one_line(plain_text(data["content"]), LONGEST), weight)


def _answer(data: Data) -> Words:
    said = one_line(plain_text(block for block in data["content"] if block["type"] == "text"), LONGEST)
    calls = [str(block["name"]) for block in data["content"] if block["type"] == "tool-call"]
    return "◆", said or f"asks for {', '.join(calls)}", "plain"


def _call(data: Data) -> Words:
    card = present_call(data["name"], data["arguments"])
    return "▸", f"{card.verb} {card.subject}".rstrip(), "plain"


def _result(data: Data) -> Words:
    words = one_line(plain_text(data["content"]), LONGEST) or "no output"
    return ("✗", words, "warning") if data["isError"] else ("✓", words, "quiet")


def _plan(data: Data) -> Words:
    todos = data["todos"]
    done = sum(todo.get("status") == "completed" for todo in todos)
    return "☐", f"plan {done}/{len(todos)}", "plain"


def _model(data: Data) -> Words:
    return "◇", f"model {data['model']} {data.get('effort') or ''}".rstrip(), "plain"


def _aim(data: Data) -> str:
    purpose = str(data["purpose"])
    return {"session-title": "title", "compaction": "summary"}.get(purpose, purpose)


def _ended(data: Data) -> Words:
    kind = str(data["reason"].get("kind", ""))
    return "─", f"turn {data['turn']} {kind}", "plain" if kind == "completed" else "warning"


_WORDS: Final[Mapping[str, Callable[[Data], Words]]] = {
    "turn/start": lambda data: ("■", f"Turn {data['turn']}", "turn"),
    "turn/end": _ended,
    "user/message": _said("▌", "prompt"),
    "steering/message": _said("▌", "prompt"),
    "context/message": _said("◇", "plain"),
    "prompt/blocked": _said("▲", "warning"),
    "assistant/attempt": _came,
    "assistant/message": _answer,
    "step/start": lambda data: ("→", f"step {data['step']} is sent", "quiet"),
    "step/end": lambda data: ("·", f"step {data['step']} ends", "quiet"),
    "tool/call": _call,
    "tool/result": _result,
    "todo/write": _plan,
    "approval/asked": lambda data: ("?", f"{data['toolName']} waits for you", "warning"),
    "approval/decided": lambda data: ("!", f"{data['outcome']} by {data['by']}", "plain"),
    "permission/mode": lambda data: ("◇", f"mode {data['mode']}", "plain"),
    "permission/rule": lambda data: ("◇", f"from here on: {data['rule']}", "plain"),
    "permission/revoked": lambda data: ("◇", f"no longer: {data['rule']}", "plain"),
    "permission/decided": lambda data: ("!", f"decided by {data['rule']}", "plain"),
    "model/selected": _model,
    "request/header": lambda data: ("·", f"request header, {data['reason']}", "quiet"),
    "request/header-delta": lambda data: ("·", f"header changed: {', '.join(data)}", "quiet"),
    "request/origins": lambda data: (
        "·",
        f"{len(data['sections'])} prompt sections, {len(data['tools'])} tools",
        "quiet",
    ),
    "request/context": _goes_to,
    "request/one-shot": lambda data: ("→", f"asks for the {_aim(data)}", "quiet"),
    "request/usage": lambda data: ("·", f"{_counted(data['usage'])}, for the {_aim(data)}", "quiet"),
    "compact/start": lambda data: ("≡", f"compaction begins, {data['trigger']}", "plain"),
    "compact/prune": lambda data: ("≡", f"long results shortened: {data['results']}", "plain"),
    "compact/retry": lambda data: ("▲", f"retry {data['retry']} of the summary", "warning"),
    "compact/summary": lambda data: ("≡", f"summary of {data['messages']} messages", "plain"),
    "compact/end": lambda data: (
        "≡",
        f"compaction {data['outcome']}",
        "plain" if data["outcome"] == "done" else "warning",
    ),
    "llm/retry": lambda data: ("▲", f"retry {data['retry']}", "warning"),
    "llm/retry-started": lambda _data: ("→", "sent again", "quiet"),
    "session/title": lambda data: ("·", f"title {data['title']}", "quiet"),
    "session/cwd": lambda data: ("◇", f"goes on in {data['cwd']}", "plain"),
    "session/imported": lambda data: ("◇", f"up to here from {data['from']}", "plain"),
    "session/end-seed": lambda _data: ("◇", "up to here from an earlier run, or another session", "quiet"),
}
KNOWN: Final = frozenset(_WORDS)
"""Types of events that have words of their own, beside streamed pieces."""
