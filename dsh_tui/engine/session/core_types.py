"""The event types that every log may hold, whatever plugins are mounted.

Importing this module registers them; they are never taken away. Kinds inside the data
(turn triggers, end reasons, sources, blocks, chunks) are open: consumers fall through tags
they do not know. Source: core spec §3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_tui.engine.session.registry import EVENT_TYPES, EventType, Validate, accept_any
from dsh_tui.engine.session.shapes import (
    BLOCK,
    BLOCKS,
    COUNT,
    FLAG,
    KINDED,
    NAME,
    NAMES,
    OBJECT,
    OBJECTS,
    ORDINAL,
    TAGGED,
    TEXT,
    Field,
    items_of,
    object_of,
    one_of,
    shape,
)

_STEP = {"turn": ORDINAL, "step": ORDINAL}
_CONTENT = {"id": NAME, "content": BLOCKS, "source": KINDED}
_ERROR = {"name": TEXT, "code": TEXT}
_TODO = shape({"content": NAME, "status": one_of("pending", "in_progress", "completed")})
_PLACE = object_of(shape({"index": ORDINAL, "of": ORDINAL}), "an object with index and of")
_SCOPE = one_of("session", "project", "user")
_CONFIG = object_of(shape({"provider": NAME, "model": NAME}), "an object with provider and model")
_TOOL = shape({"name": NAME, "description": TEXT, "parameters": OBJECT})
_TOOLS = items_of(_TOOL, "a list of {name, description, parameters}")
_MESSAGES = items_of(shape({**_CONTENT, "role": NAME}), "a list of messages")
_HEADER = shape({"config": _CONFIG}, {"system": TEXT, "tools": _TOOLS, "messagePrefix": _MESSAGES})
_ASKED = object_of(shape({"config": _CONFIG}, {"system": TEXT, "tools": _TOOLS}), "an object with config")
_SYSTEM_DELTA = shape({"keepStart": COUNT, "keepEnd": COUNT, "insert": NAMES})
_TOOLS_DELTA = shape({"added": _TOOLS, "removed": NAMES, "changed": _TOOLS})
_MADE = {"name": NAME, "plugin": NAME, "load": COUNT}
_SECTION_MADE = shape({**_MADE, "start": COUNT, "length": COUNT})
_RETRY = {"retryId": NAME, **_STEP}
_COMPACT = {"compactionId": NAME}
_USAGE = object_of(
    shape(
        {"inputTokens": COUNT, "outputTokens": COUNT},
        {"cacheReadTokens": COUNT, "cacheWriteTokens": COUNT, "reasoningTokens": COUNT},
    ),
    "an object with inputTokens and outputTokens",
)


def _request_header(data: object) -> str | None:
    """``header`` {``config``, ``system``?, ``tools``?, ``messagePrefix``?}, ``reason``."""
    problem = shape({"header": OBJECT, "reason": NAME})(data)  # type: ignore[arg-type]  # tested by shape
    return problem or _HEADER(data["header"])  # type: ignore[index]  # shape made sure of it


def _header_delta(data: object) -> str | None:
    """At least one of ``system``, ``tools``, ``config``, ``messagePrefix``."""
    fields = {"system": OBJECT, "tools": OBJECT, "config": _CONFIG, "messagePrefix": _MESSAGES}
    problem = shape({}, fields)(data)  # type: ignore[arg-type]  # tested by shape
    if problem is not None:
        return problem
    if not any(name in data for name in fields):  # type: ignore[operator]  # a mapping by now
        return "a delta must change something"
    for name, part in (("system", _SYSTEM_DELTA), ("tools", _TOOLS_DELTA)):
        if name in data and (problem := part(data[name])) is not None:  # type: ignore[operator,index]  # as above
            return f"{name}.{problem}"
    return None


_PLACED = {"index": COUNT}
_CHUNKS: dict[str, Validate] = {
    "block-start": shape({**_PLACED, "blockType": NAME}),
    "text-delta": shape({**_PLACED, "text": TEXT}),
    "reasoning-delta": shape({**_PLACED, "text": TEXT}),
    "tool-call-delta": shape(_PLACED),
    "block-end": shape({**_PLACED, "block": BLOCK}),
    "finish": shape({"reason": KINDED}),
}


def _is_chunk(value: Any) -> bool:  # Any: JSON value under test
    """One that nobody knows may hold what it likes."""
    return TAGGED.test(value) and _CHUNKS.get(value["type"], accept_any)(value) is None


_LOG_ONLY: dict[str, Validate] = {
    "turn/start": shape({"turn": ORDINAL, "trigger": KINDED}),
    "turn/end": shape({"turn": ORDINAL, "reason": KINDED}),
    "step/start": shape(_STEP),
    "step/end": shape(_STEP),
    "prompt/blocked": shape({**_CONTENT, "reason": TEXT}),
    "assistant/chunk": shape({**_STEP, "chunk": Field(_is_chunk, "a chunk, with what its type needs")}),
    "assistant/attempt": shape({**_STEP, "content": BLOCKS}),
    "tool/call": shape({**_STEP, "callId": NAME, "name": NAME, "arguments": TEXT}),
    "request/header": _request_header,
    "request/header-delta": _header_delta,
    "request/context": shape({"provider": NAME, "model": NAME}, {"contextWindow": ORDINAL}),
    "request/origins": shape(
        {
            "sections": items_of(_SECTION_MADE, "a list of {name, plugin, load, start, length}"),
            "tools": items_of(shape(_MADE), "a list of {name, plugin, load}"),
        }
    ),
    "request/one-shot": shape(
        {"purpose": NAME, "header": _ASKED, "inherits": NAMES, "history": COUNT, "messages": _MESSAGES}
    ),
    "request/usage": shape({"purpose": NAME, "provider": NAME, "model": NAME, "usage": _USAGE}),
    "todo/write": shape({"todos": items_of(_TODO, "a list of {content, status}")}),
    "session/end-seed": accept_any,
    "session/imported": shape({"from": NAME, "dialect": NAME}, {"path": TEXT}),
    "session/cwd": shape({"cwd": NAME}),
    "session/title": shape({"title": TEXT, "source": one_of("fallback", "model", "user")}),
    "approval/asked": shape(
        {"id": NAME, "callId": NAME, "toolName": NAME, "arguments": TEXT, "reason": TEXT},
        {"preview": OBJECT, "cwd": TEXT, "by": NAME, "danger": NAME, "place": _PLACE, "agent": NAME},
    ),
    "approval/decided": shape(
        {
            "id": NAME,
            "callId": NAME,
            "outcome": one_of("allowed-once", "rejected", "cancelled", "unavailable"),
            "by": NAME,
        },
        {"feedback": TEXT, "rules": NAMES, "scope": _SCOPE, "replacement": TEXT},
    ),
    "permission/mode": shape({"mode": NAME}),
    "permission/rule": shape({"rule": NAME, "by": NAME}),
    "permission/revoked": shape({"rule": NAME, "by": NAME}),
    "permission/decided": shape(
        {
            "callId": NAME,
            "toolName": NAME,
            "decision": one_of("allow", "deny"),
            "rule": NAME,
            "scope": _SCOPE,
        }
    ),
    "llm/retry": shape(
        {**_RETRY, "provider": NAME, "mode": NAME, "retry": ORDINAL, "delayMs": COUNT, "failure": OBJECT},
        {"maxRetries": COUNT},
    ),
    "llm/retry-started": shape(_RETRY),
    "model/selected": shape({"provider": NAME, "model": NAME}, {"effort": NAME}),
    "compact/start": shape({**_COMPACT, "trigger": one_of("manual", "auto", "overflow")}, {"keep": TEXT}),
    "compact/prune": shape({**_COMPACT, "results": ORDINAL, "tokensBefore": COUNT, "tokensAfter": COUNT}),
    "compact/retry": shape(
        {**_COMPACT, "retry": ORDINAL, "delayMs": COUNT, "failure": OBJECT}, {"maxRetries": COUNT}
    ),
    "compact/summary": shape(
        {**_COMPACT, "summary": BLOCKS, "messages": ORDINAL, "tokensBefore": COUNT, "tokensAfter": COUNT}
    ),
    "compact/end": shape(
        {**_COMPACT, "outcome": one_of("done", "refused", "failed", "cancelled")}, {"error": TEXT}
    ),
}

_SURFACE: dict[str, Validate] = {
    "user/message": shape(_CONTENT),
    "context/message": shape(_CONTENT),
    "steering/message": shape({**_CONTENT, "turn": ORDINAL}),
    "assistant/message": shape(
        {**_STEP, **_CONTENT}, {"usage": OBJECT, "interrupted": FLAG, "streamed": OBJECTS}
    ),
    "tool/result": shape(
        {**_STEP, "id": NAME, "callId": NAME, "content": BLOCKS, "isError": FLAG},
        {"error": OBJECT, "meta": OBJECT},
    ),
}

_ABOUT: dict[str, str] = {
    "turn/start": "A turn opens; the trigger says who or what began it.",
    "turn/end": "The turn is over; the reason says how. Where a crash took it, it is added later.",
    "step/start": "What the model is about to be asked is exactly what stands before this event.",
    "step/end": "The answer of the step and the results of its calls are all in the log.",
    "prompt/blocked": "A prompt that never reached the model, kept for the person who wrote it.",
    "user/message": "What a person, or whoever speaks in their place, asked.",
    "context/message": "What a plugin added for the model to know: date, mode, a reminder.",
    "steering/message": "Said while the turn ran; the model reads it at its next step.",
    "assistant/chunk": "One piece of a streamed answer, as it came. A file holds runs of them in one row.",
    "assistant/attempt": "What had come of an answer that broke off, where no chunks are kept.",
    "assistant/message": "The answer of a step, whole; `interrupted` if it was cut short.",
    "tool/call": "A call that the model asked for, with its raw arguments.",
    "tool/result": "What the call came to. Every call has exactly one.",
    "request/header": "System prompt, tools and settings of the requests from here on, whole.",
    "request/header-delta": "The same, as a change to the last one.",
    "request/context": "Where the next requests go, and how much fits there.",
    "request/origins": "Which plugin each section of the system prompt and each tool is from, from here on; "
    "`start` and `length` count the prompt's characters. `load` counts loadings in one process: with another "
    "number, the plugin was loaded again.",
    "request/one-shot": "A request beside the conversation, such as for a title. `inherits` names what it "
    "has of the header, `history` how many messages of the conversation it begins with.",
    "request/usage": "What the provider counted for a request beside the conversation.",
    "todo/write": "The agent's plan, whole; the last one counts.",
    "session/end-seed": "What stands before it was copied from another session or an earlier process.",
    "session/imported": "What stands before it was written by another program, in that dialect.",
    "session/cwd": "The session works in another directory from here on.",
    "session/title": "The title; the last one counts.",
    "approval/asked": "A call waits for a person. Never shown to the model.",
    "approval/decided": "The one answer to that question, and whose it was. Never shown to the model.",
    "permission/mode": "How much runs without asking, from here on.",
    "permission/rule": "A rule holds in this session from here on. Forks don't inherit it.",
    "permission/revoked": "That rule of this session holds no longer.",
    "permission/decided": "A rule let a call run, or refused it, without a question.",
    "llm/retry": "A request failed and will be made again after a wait.",
    "llm/retry-started": "The wait is over.",
    "model/selected": "Somebody chose another model or effort, from the next step on.",
    "compact/start": "The early history is being made shorter: by hand, because the window is nearly full, "
    "or because a request was refused as too long (`overflow`). Without its end, it broke off.",
    "compact/prune": "So many long results of calls are shortened; token counts are estimates. Each "
    "`tool/result` behind it that cites it takes the place of the whole one.",
    "compact/retry": "A request for the summary failed and will be made again after a wait.",
    "compact/summary": "The summary, and how much it stands for; token counts are estimates. The "
    "`context/message` behind it takes the place of what it cites.",
    "compact/end": "The last event of a compaction, and how it went.",
}
_IGNORABLE = frozenset({"request/origins", "request/usage"})
"""Types that older readers may skip: no request hangs on them, and nothing that those could show."""

CORE_TAGS = frozenset(_LOG_ONLY) | frozenset(_SURFACE)
_CORE = {**_LOG_ONLY, **_SURFACE}


def core_problem(tag: str, data: Mapping[str, Any]) -> str | None:  # Any: JSON of an event, frozen
    """What is wrong with the data of a core type; None for sound data, and for types of plugins."""
    validate = _CORE.get(tag)
    return None if validate is None else validate(data)


for _tag, _validate in _LOG_ONLY.items():
    EVENT_TYPES.add(EventType(tag=_tag, validate=_validate, ignorable=_tag in _IGNORABLE, about=_ABOUT[_tag]))
for _tag, _validate in _SURFACE.items():
    EVENT_TYPES.add(
        EventType(tag=_tag, validate=_validate, surface=True, ignorable=False, about=_ABOUT[_tag])
    )
