"""Counts that a provider gave, and what plugins and other programs put in their place."""

from __future__ import annotations

import pytest

from dsh_tui.engine.llm.usage import usage_of

PLAIN = {"inputTokens": 3, "outputTokens": 4}


@pytest.mark.parametrize(
    ("given", "counts"),
    [
        (PLAIN, PLAIN),
        ({**PLAIN, "cacheReadTokens": 0}, {**PLAIN, "cacheReadTokens": 0}),
        ({**PLAIN, "cacheReadTokens": None}, PLAIN),
        ({**PLAIN, "price": "free"}, PLAIN),
    ],
)
def test_counts_are_taken_as_they_are_and_nothing_else_is(given: object, counts: object) -> None:
    assert usage_of(given) == counts


@pytest.mark.parametrize(
    "given",
    [
        None,
        "3",
        (3, 4),
        {},
        {"inputTokens": 3},
        {**PLAIN, "outputTokens": None},
        {**PLAIN, "inputTokens": "3"},
        {**PLAIN, "inputTokens": -3},
        {**PLAIN, "inputTokens": 1.5},
        {**PLAIN, "inputTokens": True},
        {**PLAIN, "inputTokens": 10**400},
        {**PLAIN, "cacheReadTokens": "2"},
        {**PLAIN, "cacheWriteTokens": {}},
    ],
)
def test_what_is_no_count_makes_all_of_it_none(given: object) -> None:
    assert usage_of(given) is None
