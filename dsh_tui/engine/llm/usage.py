"""Token counts of one request. The counts are disjoint: nothing is in two of them.

Source: capabilities A1, A3 (``prompt_tokens`` = hit + miss).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NotRequired, TypedDict, cast


class Usage(TypedDict):
    """``inputTokens`` are the uncached ones; ``reasoningTokens`` are a part of ``outputTokens``."""

    inputTokens: int
    outputTokens: int
    cacheReadTokens: NotRequired[int]
    cacheWriteTokens: NotRequired[int]
    reasoningTokens: NotRequired[int]


_NAMES: Final = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
_NEEDED: Final = {"inputTokens", "outputTokens"}
_MOST: Final = 10**15
"""No request has more; a number that is longer is no count, and no float either."""


def usage_of(given: object) -> Usage | None:
    """What ``given`` counts; None unless it holds counts: plugins and other programs log what they like."""
    if not isinstance(given, Mapping):
        return None
    counts = {name: given[name] for name in _NAMES if given.get(name) is not None}
    if counts.keys() >= _NEEDED and all(
        type(count) is int and 0 <= count <= _MOST for count in counts.values()
    ):
        return cast("Usage", counts)
    return None


def prompt_tokens(usage: Usage) -> int:
    """Everything that was sent: uncached, read from the cache, and written to it."""
    return usage["inputTokens"] + usage.get("cacheReadTokens", 0) + usage.get("cacheWriteTokens", 0)
