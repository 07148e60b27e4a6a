"""``/compact``: the forecast is said first, and only a yes begins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textual.screen import Screen
from textual.widgets import Static

from dsh_tui.engine.compaction.errors import CompactionError
from dsh_tui.engine.projection.compaction_views import ShorteningForecast
from dsh_tui.screens.compaction import CompactionQuestion
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, started


async def test_the_forecast_is_said_and_enter_begins_with_what_to_keep_in_mind() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        chat: Screen[Any] = app.chat
        app.chat.perform_slash("compact", "the API names")
        await pilot.pause()
        assert isinstance(app.screen, CompactionQuestion)
        said = str(app.screen.query_one(".explanation", Static).content)
        assert "Would summarise 42 messages (~182k tokens) and keep 9 messages (~24.3k)." in said
        assert "The next request sends ~25.8k tokens uncached (≈$0.0039)." in said
        assert "above all: the API names" in said
        await pilot.press("enter")
        await pilot.pause()
        assert bridge.asked == [("compact", "the API names")]
        assert app.screen is chat


async def test_what_would_be_shortened_first_is_said_with_what_that_costs() -> None:
    bridge = FakeBridge()
    first = ShorteningForecast(results=3, before=40_200, after=4_100, uncached=131_000)
    bridge.compaction.told = replace(bridge.compaction.told, shortened=first)
    app = app_over(bridge)
    async with started(app) as pilot:
        app.chat.perform_slash("compact", "")
        await pilot.pause()
        said = str(app.screen.query_one(".explanation", Static).content)
        assert "3 long tool results are shortened first (~40.2k → ~4.1k tokens)" in said
        assert "the request for the summary sends ~131k uncached" in said


async def test_escape_leaves_the_history_alone() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        app.chat.perform_slash("compact", "")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert bridge.asked == []
        assert app.screen is app.chat


async def test_where_nothing_can_be_summarised_that_is_said_and_nothing_asked() -> None:
    bridge = FakeBridge()
    bridge.fails["forecast"] = CompactionError("There is nothing to summarise yet.")
    app = app_over(bridge)
    async with started(app) as pilot:
        app.chat.perform_slash("compact", "")
        await pilot.pause()
        assert app.screen is app.chat
        assert bridge.asked == []


async def test_a_command_that_is_written_out_runs_at_one_enter_though_words_could_follow() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press(*"/compact", "enter")
        await pilot.pause()
        assert isinstance(app.screen, CompactionQuestion)
