"""A long tool result cut to both its ends, with a note between that says what is missing. Pure.

What is shortened once is never long again. Other blocks than text stay at their places.
Source: capabilities C (limits); core spec §10 (prune oversized results first).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dsh_tui.engine.llm.blocks import Block, TextBlock

LONG: Final = 8_192
"""Characters that a result may have and still be left alone."""
HEAD: Final = 4_096
TAIL: Final = 1_024


def length(content: Sequence[Block]) -> int:
    """Characters of all its texts."""
    return sum(len(block["text"]) for block in content if block["type"] == "text")


def note(characters: int, path: str | None) -> str:
    """What stands where ``characters`` were; ``path`` is where the whole result is, if it could be kept."""
    gone = f"{characters - HEAD - TAIL:,} of {characters:,} characters of this result"
    where = f"The whole of it: {path}" if path else "If they are needed, make the call again."
    return f"\n\n[{gone} are left out here to save room. {where}]\n\n"


def shortened(content: Sequence[Block], between: str) -> tuple[Block, ...]:
    """Its first `HEAD` and last `TAIL` characters around ``between``; for content longer than `LONG`."""
    tail_from = length(content) - TAIL
    out: list[Block] = []
    at = 0
    for block in content:
        if block["type"] != "text":
            out.append(block)
            continue
        text, start = block["text"], at
        at += len(text)
        here = between if start <= HEAD < at else ""
        kept = text[: max(0, HEAD - start)] + here + text[max(0, tail_from - start) :]
        if kept:
            out.append(TextBlock({**block, "text": kept}))
    return tuple(out)
