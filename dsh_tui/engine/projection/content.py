"""Text of message contents for people: text blocks as they are, other kinds by name.

Source: core spec §3 (blocks are an open registry).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

JsonBlock = Mapping[str, Any]  # Any: a block of any kind, also one from a plugin


def plain_text(content: Iterable[JsonBlock]) -> str:
    """All text of a content; an image or an unknown kind leaves its name in brackets."""
    parts: list[str] = []
    for block in content:
        kind = block.get("type")
        if kind in ("text", "reasoning"):
            parts.append(str(block.get("text", "")))
        elif kind not in ("tool-call", "tool-result"):
            parts.append(f"[{kind}]")
    return "".join(parts)
