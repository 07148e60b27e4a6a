from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.request_views import StepRow
from dsh_tui.screens.request import RequestScreen
from dsh_tui.widgets.request_parts_list import PartLine, RequestPartsList, TextLine
from dsh_tui.widgets.step_list import StepList, cache_bar
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, started
from tests.fakes.history_chat import with_history

Check = Callable[[Pilot[None], RequestScreen, list[str]], Awaitable[None]]


async def opened(check: Check, bridge: FakeBridge | None = None, size: tuple[int, int] = (120, 40)) -> None:
    """The screen over the sample session; ``check`` also gets what was copied."""
    app = app_over(bridge or with_history())
    copied: list[str] = []
    async with started(app, size) as pilot:
        app.copy_to_clipboard = copied.append  # type: ignore[method-assign, assignment]  # the terminal's end of it
        await pilot.press("ctrl+x", "i")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, RequestScreen)
        await check(pilot, screen, copied)


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


def words(screen: RequestScreen, where: str) -> str:
    return str(screen.query_one(where, Static).content)


def labels(screen: RequestScreen) -> list[str]:
    rows = screen.query_one(RequestPartsList).rows
    return [row.part.label for row in rows if isinstance(row, PartLine)]


async def test_it_opens_at_the_newest_step_with_its_parts() -> None:
    async def check(pilot: Pilot[None], screen: RequestScreen, _copied: list[str]) -> None:
        row = screen.query_one(StepList).row
        assert isinstance(row, StepRow)
        assert (row.turn, row.step) == (6, 1)
        assert labels(screen)[:6] == ["settings", "opening", "Tools", "Environment", "browse", "bash"]
        assert "Turn 6 step 1" in words(screen, "#head")
        assert "Prefix kept" in words(screen, "#head")
        assert "9 steps · 47 % cached · 4 drops" in words(screen, "#counts")

    await opened(check)


async def test_a_drop_names_the_byte_and_the_event() -> None:
    async def check(pilot: Pilot[None], screen: RequestScreen, _copied: list[str]) -> None:
        await press(pilot, "up")
        assert "Prefix unchanged: provider side" in words(screen, "#head")
        await press(pilot, "up", "up")
        assert "The prefix breaks at byte" in words(screen, "#head")
        assert "the tool browse was added" in words(screen, "#head")

    await opened(check)


async def test_d_shows_what_differs_and_d_again_all() -> None:
    async def check(pilot: Pilot[None], screen: RequestScreen, _copied: list[str]) -> None:
        every = labels(screen)
        await press(pilot, "d")
        assert labels(screen) == ["assistant", "user"]
        lines = [row.text for row in screen.query_one(RequestPartsList).rows if isinstance(row, TextLine)]
        assert lines == ["+Good morning.", "+Deploy it"]
        await press(pilot, "[")
        assert labels(screen) == ["assistant", "user"]
        await press(pilot, "d")
        assert len(labels(screen)) == len(every) - 2

    await opened(check)


async def test_a_part_opens_folds_and_is_copied() -> None:
    async def check(pilot: Pilot[None], screen: RequestScreen, copied: list[str]) -> None:
        parts = screen.query_one(RequestPartsList)
        await press(pilot, "enter", "down", "down", "enter")
        texts = [row.text for row in parts.rows if isinstance(row, TextLine)]
        assert texts[:3] == ["# Tools", "", "Read before you edit. Run the tests after a change."]
        await press(pilot, "down", "y")
        assert copied[-1].startswith("# Tools")
        await press(pilot, "enter")
        assert not any(isinstance(row, TextLine) for row in parts.rows)
        assert parts.part is not None
        assert parts.part.label == "Tools"
        await press(pilot, "Y")
        body: Any = json.loads(copied[-1])
        assert body["messages"][0]["role"] == "system"

    await opened(check)


async def test_esc_goes_from_the_parts_to_the_steps_and_then_back() -> None:
    async def check(pilot: Pilot[None], screen: RequestScreen, _copied: list[str]) -> None:
        await press(pilot, "right", "escape")
        assert screen.query_one(StepList).has_focus
        await press(pilot, "escape")
        assert pilot.app.screen is not screen

    await opened(check)


async def test_a_session_without_requests_says_so() -> None:
    async def check(pilot: Pilot[None], screen: RequestScreen, _copied: list[str]) -> None:
        assert "no request of ours yet" in words(screen, "#place")
        await press(pilot, "d", "enter", "y", "Y", "down")

    await opened(check, FakeBridge())


async def test_the_slash_command_opens_it() -> None:
    app = app_over(with_history())
    async with started(app) as pilot:
        await pilot.press(*"/request", "enter")
        await settled(pilot)
        assert isinstance(app, DshApp)
        assert isinstance(app.screen, RequestScreen)


def test_a_step_without_counts_says_so() -> None:
    row = StepRow(index=0, turn=1, step=1, seq=1, time=0, attempts=1, model="m", effort="")
    assert cache_bar(row, wide=True).plain == "not counted"
