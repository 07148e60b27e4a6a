"""``!command``: what it prints comes into the draft, and nothing is sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from dsh_tui.app import DshApp
from dsh_tui.widgets.composer import COMMAND
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, chat, started


async def entered(pilot: Pilot[None], app: DshApp, draft: str) -> None:
    app.chat.composer.put(draft)
    await pilot.press("enter")
    await app.workers.wait_for_complete()
    await pilot.pause()


async def test_what_it_prints_comes_into_the_draft_and_nothing_is_sent(tmp_path: Path) -> None:
    bridge = FakeBridge(chat(cwd=str(tmp_path)))
    app = app_over(bridge)
    async with started(app) as pilot:
        await entered(pilot, app, "!echo here")
        assert app.chat.composer.draft == "I ran `echo here`:\n```\nhere\n```\n"
        assert bridge.asked == []
        app.chat.composer.put("")
        await pilot.press("up")
        assert app.chat.composer.text == "!echo here"


async def test_short_output_is_seen_in_the_draft_and_long_output_is_folded(tmp_path: Path) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        await entered(pilot, app, "!seq 40; printf '\\033[31mred\\033[0m'")
        assert app.chat.composer.text.endswith("39\n40\nred\n```\n")
        app.chat.composer.put("")
        await entered(pilot, app, "!seq 200")
        assert app.chat.composer.text == "[paste #1 · 203 lines]"
        assert app.chat.composer.draft.endswith("200\n```\n")


@pytest.mark.parametrize(("command", "said"), [("true", "done, no output"), ("exit 4", "exit 4, no output")])
async def test_a_command_that_prints_nothing_leaves_the_draft_empty_and_is_told(
    tmp_path: Path, command: str, said: str
) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        await entered(pilot, app, f"!{command}")
        assert app.chat.composer.draft == ""
        assert said in app.chat.said


async def test_esc_ends_it_and_only_one_runs_at_a_time(tmp_path: Path) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        app.chat.composer.put("!sleep 60")
        await pilot.press("enter")
        app.chat.composer.put("!echo second")
        await pilot.press("enter")
        await pilot.pause()
        assert app.chat.composer.text == "!echo second"
        assert "One command at a time" in app.chat.said
        await pilot.press("escape")
        assert "was ended" in app.chat.said
        while app.chat.stop_own_command():
            await pilot.pause()


async def test_the_frame_says_what_the_draft_is_and_a_blank_makes_it_a_prompt() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("!")
        assert app.chat.composer.border_title == COMMAND
        await pilot.press("enter")
        assert bridge.asked == [("send", "!")]
        await pilot.press("space", "!", "x")
        assert app.chat.composer.border_title != COMMAND
        await pilot.press("enter")
        assert bridge.asked[-1] == ("send", "!x")
