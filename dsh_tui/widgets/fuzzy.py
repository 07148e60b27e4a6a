"""Fuzzy matching: the letters of a query, in order, somewhere in a candidate.

Quick enough for tens of thousands of paths: a regular expression rejects, and only what
is left is scored.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable


def _score(query: str, candidate: str) -> float | None:
    """Higher is better; None when the letters are not there. Both are lower case."""
    name = candidate.rsplit("/", 1)[-1]
    shorter = -len(candidate) / 1_000
    at = name.find(query)
    if at >= 0:
        return (4.0 if at == 0 else 3.0) + shorter
    at = candidate.find(query)
    if at >= 0:
        return (2.5 if at == 0 or candidate[at - 1] in "/_-. " else 2.0) + shorter
    position, gaps = -1, 0
    for letter in query:
        found = candidate.find(letter, position + 1)
        if found < 0:
            return None
        gaps += found - position - 1
        position = found
    return 1.0 - gaps / 100 + shorter


def best(query: str, candidates: Iterable[str], limit: int = 20) -> list[str]:
    """The best matches, best first. An empty query gives the first ``limit``."""
    if not query:
        return [candidate for candidate, _ in zip(candidates, range(limit), strict=False)]
    lower = query.lower()
    possible = re.compile(".*?".join(re.escape(letter) for letter in lower), re.IGNORECASE | re.DOTALL)
    scored = (
        (score, candidate)
        for candidate in candidates
        if possible.search(candidate) and (score := _score(lower, candidate.lower())) is not None
    )
    return [
        candidate for _, candidate in heapq.nsmallest(limit, scored, key=lambda pair: (-pair[0], pair[1]))
    ]
