"""Token counts of one request. The counts are disjoint: nothing is in two of them.

Source: capabilities A1, A3 (``prompt_tokens`` = hit + miss).
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Usage(TypedDict):
    """``inputTokens`` are the uncached ones; ``reasoningTokens`` are a part of ``outputTokens``."""

    inputTokens: int
    outputTokens: int
    cacheReadTokens: NotRequired[int]
    cacheWriteTokens: NotRequired[int]
    reasoningTokens: NotRequired[int]


def prompt_tokens(usage: Usage) -> int:
    """Everything that was sent: uncached, read from the cache, and written to it."""
    return usage["inputTokens"] + usage.get("cacheReadTokens", 0) + usage.get("cacheWriteTokens", 0)
