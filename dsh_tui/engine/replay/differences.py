"""Differences: where a request is another one than the recorded, said for people.

Only what a model reads is compared: message ids and sources are made anew in every run.
Source: capabilities A7; core spec §9 (request).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.loop.rebuild import RebuiltRequest

Rewrite = Callable[[str], str]
"""Makes the text of a run comparable: its folder's name, its date."""
QUOTE = 60
"""Characters around a difference that are quoted."""


def first_difference(recorded: RebuiltRequest, live: ModelRequest, rewrite: Rewrite) -> str | None:
    """One line that names the first part that differs, or None."""
    return _compare("", _readable(recorded), _readable(live), rewrite)


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
