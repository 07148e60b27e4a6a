"""The request header: what a request holds beside its messages, folded from the log.

``request/header`` is a snapshot and replaces; ``request/header-delta`` amends. In canonical
form an empty system prompt, tool list or prefix is absent. Headers are compared by serialised
bytes: dict equality ignores key order, a provider's cache does not.
Source: core spec §3 (header fold), §8.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict, cast

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.llm.config import CallConfig, ToolSchema
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.errors import RequestHeaderError
from dsh_tui.engine.session.event import Event


class RequestHeader(TypedDict):
    """Canonical: nothing in it is empty."""

    system: NotRequired[str]
    tools: NotRequired[tuple[ToolSchema, ...]]
    config: CallConfig
    messagePrefix: NotRequired[tuple[Message, ...]]


HeaderDelta = Mapping[str, Any]  # Any: JSON of request/header-delta


def canonical_header(header: Mapping[str, Any]) -> RequestHeader:  # Any: JSON of a header
    """The one form of a header, frozen, keys in one order."""
    made: dict[str, Any] = {}  # Any: JSON
    for name in ("system", "tools"):
        if header.get(name):
            made[name] = header[name]
    made["config"] = header["config"]
    if header.get("messagePrefix"):
        made["messagePrefix"] = header["messagePrefix"]
    return cast("RequestHeader", freeze(made))


def same_header(one: RequestHeader, other: RequestHeader) -> bool:
    """Equal down to the bytes. Parts that are the same objects, as from step to step, are not serialised."""
    return one is other or not any(_differs(one, other, name) for name in _PARTS)


def config_of(event: Event) -> Mapping[str, Any]:  # Any: JSON of a configuration
    """What a header, or a change of one, says of the configuration; nothing if it says nothing."""
    header = event.data["header"] if event.type == "request/header" else event.data
    return header.get("config") or {}


def fold_header(current: RequestHeader | None, event: Event) -> RequestHeader | None:
    """The header after ``event``; other events change nothing.

    Raises:
        RequestHeaderError: a delta without a snapshot before it, or one that does not fit.
    """
    if event.type == "request/header":
        return canonical_header(event.data["header"])
    if event.type != "request/header-delta":
        return current
    if current is None:
        raise RequestHeaderError(f"event {event.seq}: a header delta without a header before it")
    return apply_delta(current, event.data)


def make_delta(old: RequestHeader, new: RequestHeader) -> HeaderDelta | None:
    """Data of a ``request/header-delta``, or None where only a snapshot says it (reordered tools)
    or nothing has changed.

    Verified: applying the delta to ``old`` gives the bytes of ``new``.
    """
    delta: dict[str, Any] = {}  # Any: JSON
    if old.get("system") != new.get("system"):
        delta["system"] = _system_delta(_lines(old.get("system")), _lines(new.get("system")))
    if _differs(old, new, "tools"):
        delta["tools"] = _tools_delta(old.get("tools", ()), new.get("tools", ()))
    if _differs(old, new, "config"):
        delta["config"] = new["config"]
    if _differs(old, new, "messagePrefix"):
        delta["messagePrefix"] = new.get("messagePrefix", ())
    if not delta:
        return None
    frozen = freeze(delta)
    try:
        round_trips = same_header(apply_delta(old, frozen), new)
    except RequestHeaderError:
        return None
    return frozen if round_trips else None


def apply_delta(header: RequestHeader, delta: HeaderDelta) -> RequestHeader:
    """The amended header.

    Raises:
        RequestHeaderError: the delta keeps lines or names tools that are not there.
    """
    made: dict[str, Any] = dict(header)  # Any: JSON
    if "system" in delta:
        made["system"] = _patched_system(header.get("system"), delta["system"])
    if "tools" in delta:
        made["tools"] = _patched_tools(header.get("tools", ()), delta["tools"])
    for name in ("config", "messagePrefix"):
        if name in delta:
            made[name] = delta[name]
    return canonical_header(made)


_PARTS = ("system", "tools", "config", "messagePrefix")


def _differs(old: RequestHeader, new: RequestHeader, name: str) -> bool:
    before, after = old.get(name), new.get(name)
    if before is after:
        return False
    if isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        return not all(
            one is other or dumps(one) == dumps(other) for one, other in zip(before, after, strict=True)
        )
    return dumps(before) != dumps(after)


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.split("\n")


def _system_delta(old: list[str], new: list[str]) -> dict[str, Any]:  # Any: JSON
    most = min(len(old), len(new))
    start = 0
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return {"keepStart": start, "keepEnd": end, "insert": new[start : len(new) - end]}


def _patched_system(text: str | None, delta: Mapping[str, Any]) -> str:  # Any: JSON
    lines, start, end = _lines(text), delta["keepStart"], delta["keepEnd"]
    if start + end > len(lines):
        raise RequestHeaderError(f"a header delta keeps {start + end} lines of {len(lines)}")
    return "\n".join((*lines[:start], *delta["insert"], *lines[len(lines) - end :]))


def _tools_delta(old: Sequence[ToolSchema], new: Sequence[ToolSchema]) -> dict[str, Any]:  # Any: JSON
    before = {tool["name"]: tool for tool in old}
    after = {tool["name"]: tool for tool in new}
    return {
        "added": [tool for tool in new if tool["name"] not in before],
        "removed": [name for name in before if name not in after],
        "changed": [
            tool for tool in new if tool["name"] in before and dumps(tool) != dumps(before[tool["name"]])
        ],
    }


def _patched_tools(
    tools: Sequence[ToolSchema], delta: Mapping[str, Any]
) -> tuple[ToolSchema, ...]:  # Any: JSON
    known = {tool["name"] for tool in tools}
    changed = {tool["name"]: tool for tool in delta["changed"]}
    removed, added = set(delta["removed"]), {tool["name"] for tool in delta["added"]}
    if not (removed | set(changed)) <= known or added & known:
        raise RequestHeaderError("a header delta names tools that do not fit the header before it")
    kept = [changed.get(tool["name"], tool) for tool in tools if tool["name"] not in removed]
    return (*kept, *delta["added"])
