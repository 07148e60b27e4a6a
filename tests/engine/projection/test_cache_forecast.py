from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.bridge.session_history import SessionHistory, Target
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.llm.prices import Price
from dsh_tui.engine.projection.body_pieces import pieces_of
from dsh_tui.engine.projection.cache_forecast import uncached
from dsh_tui.engine.projection.cost import CostView, money
from dsh_tui.engine.projection.request_parts import estimate_tokens
from dsh_tui.engine.projection.request_views import ForecastView
from tests.fakes.history_log import HEADER, SYSTEM, TOOLS, history, seqs, tool_schema

OFFERED: Any = TOOLS
NOW: Target = ("deepseek", "deepseek-flash", "max")
BROWSE: Any = tool_schema("browse", "Open a page.")


@pytest.fixture(scope="module")
def past() -> SessionHistory:
    return SessionHistory(HEADER, history())


async def model(past: SessionHistory, then: Target, now: Target = NOW) -> ForecastView:
    view = await past.forecast_model(now, then)
    assert view is not None
    return view


async def test_another_model_reads_everything_anew(past: SessionHistory) -> None:
    view = await model(past, ("deepseek", "deepseek-v4-pro", "max"))
    assert view.why == "this model has nothing of it in its cache"
    assert view.tokens > view.before
    assert view.words.startswith("next request: ~")
    assert "uncached (was ~" in view.words
    other_provider = await model(past, ("local", "deepseek-flash", "max"))
    assert other_provider.tokens == view.tokens


async def test_what_is_read_anew_is_told_with_its_price_where_there_is_one() -> None:
    def price_of(_provider: str, model: str, at_ms: int) -> Price | None:
        assert at_ms > 0
        known = Price(currency="USD", input=1000.0, cached=0.0, output=0.0)
        return known if model == "deepseek-v4-pro" else None

    past = SessionHistory(HEADER, history(), price_of)
    view = await model(past, ("deepseek", "deepseek-v4-pro", "max"))
    assert view.cost == CostView((("USD", view.tokens / 1000),))
    assert f"uncached (≈{money('USD', view.tokens / 1000)}, was ~" in view.words
    free = await model(past, ("local", "other", "max"))
    assert "uncached (was ~" in free.words


async def test_another_effort_leaves_the_prefix_as_it_is(past: SessionHistory) -> None:
    view = await model(past, ("deepseek", "deepseek-flash", "low"))
    assert (view.why, view.tokens) == ("", view.before)
    assert view.words.endswith("uncached; the cached prefix stays")


async def test_an_effort_that_changes_the_bytes_of_messages_breaks_the_prefix() -> None:
    """With thinking off, answers with calls go out without their empty reasoning."""
    events = list(history())
    before_summary = SessionHistory(HEADER, events[: seqs(events, "context/message")[1]])
    view = await model(before_summary, ("deepseek", "deepseek-flash", "off"))
    assert view.why == "the prefix ends in message 3"
    assert view.tokens > view.before


def test_counts_are_in_proportion_to_what_the_provider_counted() -> None:
    old = pieces_of({"model": "m", "messages": [said("a" * 1000)]})
    new = pieces_of({"model": "m", "messages": [said("a" * 1000), said("b" * 500)]})
    plain = uncached(old, new, counted=None).tokens
    assert plain == estimate_tokens(dumps(said("b" * 500)))
    doubled = uncached(old, new, counted=2 * estimate_tokens(dumps(said("a" * 1000)))).tokens
    assert doubled == 2 * plain
    assert uncached(old, new, counted=1_000_000).tokens == 3 * plain


def test_a_message_that_differs_half_way_is_cached_up_to_there() -> None:
    old = pieces_of({"model": "m", "messages": [said("a" * 1000), said("x")]})
    new = pieces_of({"model": "m", "messages": [said("a" * 600 + "b" * 400), said("x")]})
    found = uncached(old, new, counted=None)
    assert found.why == "the prefix ends in message 1"
    assert estimate_tokens("b" * 400) < found.tokens < estimate_tokens("b" * 550)


def said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


@pytest.mark.parametrize(
    ("system", "tools", "why"),
    [
        (f"{SYSTEM}\nBe brief.", [BROWSE, *TOOLS], "the system prompt changes"),
        (SYSTEM, TOOLS, "its tools change"),
        (None, [BROWSE, *TOOLS], "the system prompt changes"),
    ],
)
async def test_another_prompt_or_other_tools_cost_what_stands_behind_them(
    past: SessionHistory, system: str | None, tools: Any, why: str
) -> None:
    view = await past.forecast_prompt(NOW, system, tools)
    assert view is not None
    assert view.why == why
    assert view.tokens > view.before


async def test_the_same_prompt_costs_nothing_more(past: SessionHistory) -> None:
    assert await past.forecast_prompt(NOW, SYSTEM, [BROWSE, *OFFERED]) is None


async def test_before_the_first_request_there_is_nothing_to_lose() -> None:
    empty = SessionHistory({}, ())
    assert await empty.forecast_model(NOW, ("a", "b", "")) is None
    assert await empty.forecast_prompt(NOW, "You.", ()) is None
