"""Words of the original in ours: providers, end reasons, outcomes, titles, settings of requests. Pure.

Source: upstream format §4 (payloads); core spec §0 (aliases).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Data = Mapping[str, Any]  # Any: JSON of another program

_PROVIDERS = {"deepseek-official": "deepseek"}
_EFFORTS = ("off", "low", "medium", "high", "max")
_OUTCOMES = {
    "allowed-once": "allowed-once",
    "rejected": "rejected",
    "unavailable": "unavailable",
    "cancelled": "cancelled",
    "canceled": "cancelled",
}


def provider(name: object) -> object:
    """The same service under the name that it has here."""
    return _PROVIDERS.get(name, name) if isinstance(name, str) else name


def with_provider(value: Data) -> dict[str, Any]:  # Any: JSON
    """A copy whose ``provider`` is ours."""
    return {**value, "provider": provider(value["provider"])} if "provider" in value else dict(value)


def end_reason(reason: object) -> dict[str, Any]:  # Any: JSON
    """Why a turn ended."""
    if not isinstance(reason, Mapping):
        return {"kind": "interrupted"}
    kind = str(reason.get("kind"))
    if kind == "blocked":
        return {**reason, "kind": "rejected"}
    if kind == "aborted" and isinstance(cause := reason.get("reason"), Mapping):
        return {
            **reason,
            "reason": str(cause.get("message") or cause.get("kind") or "aborted"),
            "cause": cause,
        }
    if kind == "error" and isinstance(failure := reason.get("error"), Mapping):
        told = {
            "kind": kind,
            "message": str(failure.get("message") or "The turn failed."),
            "failure": failure,
        }
        return {**told, "code": str(failure["code"])} if "code" in failure else told
    return {**reason, "kind": kind}


def outcome(word: object) -> str:
    """How an approval ended; what nobody here knows counts as not given."""
    return _OUTCOMES.get(str(word), "cancelled")


def title_source(source: object) -> str:
    """Who made a title."""
    kind = source.get("kind") if isinstance(source, Mapping) else source
    return {"fallback": "fallback", "provider": "model", "model": "model"}.get(str(kind), "user")


def request_header(header: Data, system: str | None) -> dict[str, Any]:  # Any: JSON
    """System prompt, tools and settings. Which values an adapter chose is not kept."""
    config = header.get("config")
    made: dict[str, Any] = {"config": with_provider(config) if isinstance(config, Mapping) else config}
    if isinstance(config, Mapping) and config.get("reasoningEffort") not in _EFFORTS:
        made["config"].pop("reasoningEffort", None)
    prompt = header.get("system", system)
    if isinstance(prompt, str) and prompt:
        made["system"] = prompt
    if header.get("tools"):
        made["tools"] = header["tools"]
    return made


def answer_content(content: object, seq: int) -> list[Any]:  # Any: blocks
    """The blocks of an answer. Calls get an id where they have none, and text for arguments."""
    made: list[Any] = []  # Any: as above
    ids: set[str] = set()
    for at, block in enumerate(content if isinstance(content, tuple) else ()):
        if not isinstance(block, Mapping):
            continue
        kind = block.get("type")
        if kind in ("text", "reasoning") and type(block.get("text")) is not str:
            continue
        if kind == "tool-call":
            call = _call(block, f"call-{seq}-{at}", ids)
            ids.add(call["id"])
            made.append(call)
        else:
            made.append(block)
    return made


def _call(block: Data, minted: str, taken: set[str]) -> Data:
    call_id, name, arguments = block.get("id"), block.get("name"), block.get("arguments")
    good_id = type(call_id) is str and call_id and call_id not in taken
    if good_id and type(name) is str and name and type(arguments) is str:
        return block
    return {
        **block,
        "id": call_id if good_id else minted,
        "name": name if type(name) is str and name else "unknown",
        "arguments": arguments if type(arguments) is str else json.dumps(arguments, ensure_ascii=False),
    }
