"""Differences: where a request is another one than the recorded, said for people.

Only what a model reads is compared: message ids and sources are made anew in every run. Beside the place
stands the first byte of the body that differs, counted as `sessions requests --raw` prints it.
Source: capabilities A7; core spec §9 (request).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.llm.deepseek.wire import body_bytes, request_body
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.loop.rebuild import RebuiltRequest

Rewrite = Callable[[str], str]
"""Makes the text of a run comparable: its folder's name, its date."""
QUOTE = 60
"""Characters around a difference that are quoted."""
AROUND = 20
"""Bytes on each side of the first one that differs."""


def first_difference(recorded: RebuiltRequest, live: ModelRequest, rewrite: Rewrite) -> str | None:
    """One line that names the first part that differs, and the byte; None if there is none."""
    words = _compare("", _readable(recorded), _readable(live), rewrite)
    return None if words is None else words + _first_byte(recorded, live, rewrite)


def _first_byte(recorded: RebuiltRequest, live: ModelRequest, rewrite: Rewrite) -> str:
    """Empty where the bodies are the same, such as with another provider of the same model."""
    one = body_bytes(recorded.as_request(live.session_id))
    other = dump_bytes(_rewritten(request_body(live), rewrite))
    if one == other:
        return ""
    pairs = zip(one, other, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    return f"; byte {at:,} of the body: recorded {_excerpt(one, at)}, now {_excerpt(other, at)}"


def _rewritten(value: Any, rewrite: Rewrite) -> Any:  # Any: JSON
    if isinstance(value, str):
        return rewrite(value)
    if isinstance(value, Mapping):
        return {key: _rewritten(item, rewrite) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rewritten(item, rewrite) for item in value]
    return value


def _excerpt(body: bytes, at: int) -> str:
    start = max(0, at - AROUND)
    part = body[start : at + AROUND].decode("utf-8", "replace")
    return f"{'…' if start else ''}{part!r}{'…' if at + AROUND < len(body) else ''}"


def _readable(request: RebuiltRequest | ModelRequest) -> dict[str, Any]:  # Any: JSON
    return {
        "config": request.config,
        "system": request.system or "",
        "tools": request.tools,
        "messages": tuple(_said(message) for message in request.messages),
    }


def _said(message: Message) -> dict[str, Any]:  # Any: JSON
    return {"role": message["role"], "content": message["content"]}


def _compare(path: str, recorded: Any, live: Any, rewrite: Rewrite) -> str | None:  # Any: JSON
    if isinstance(recorded, str) and isinstance(live, str):
        return _compare_text(path, recorded, rewrite(live))
    if isinstance(recorded, Mapping) and isinstance(live, Mapping):
        for key in (*recorded, *(key for key in live if key not in recorded)):
            where = f"{path}.{key}" if path else str(key)
            if key not in live or key not in recorded:
                return f"{where}: {'only recorded' if key in recorded else 'not recorded'}"
            if (found := _compare(where, recorded[key], live[key], rewrite)) is not None:
                return found
        return None
    if isinstance(recorded, list | tuple) and isinstance(live, list | tuple):
        for at, (one, other) in enumerate(zip(recorded, live, strict=False)):
            if (found := _compare(f"{path}[{at}]", one, other, rewrite)) is not None:
                return found
        return None if len(recorded) == len(live) else f"{path}: {len(recorded)} recorded, {len(live)} now"
    return None if recorded == live else f"{path}: recorded {recorded!r}, now {live!r}"


def _compare_text(path: str, recorded: str, live: str) -> str | None:
    if recorded == live:
        return None
    pairs = zip(recorded, live, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(recorded), len(live)))
    start = max(0, at - QUOTE // 3)
    return f"{path} at {at}: recorded {_quote(recorded, start)}, now {_quote(live, start)}"


def _quote(text: str, start: int) -> str:
    part = text[start : start + QUOTE]
    return f"{'…' if start else ''}{part!r}{'…' if start + QUOTE < len(text) else ''}"
