"""``!command``: what it prints comes into the draft, and nothing is sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from dsh_tui.app import DshApp
from dsh_tui.widgets.composer import COMMAND
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, chat, running, started

WAITS = "until [ -e go ]; do sleep 0.01; done; "
"""What a command begins with that goes on once there is a file."""


async def done(pilot: Pilot[None], app: DshApp, folder: Path) -> None:
    (folder / "go").touch()
    while app.chat.composer.own_command:
        await pilot.pause()
    await pilot.pause()


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


async def test_in_a_recording_which_was_made_elsewhere_it_runs_where_the_app_is(tmp_path: Path) -> None:
    app = app_over(FakeBridge(chat(cwd="/somewhere/else", read_only="recording: demo")))
    app.cwd = tmp_path
    async with started(app) as pilot:
        await entered(pilot, app, "!pwd")
        assert f"\n{tmp_path}\n" in app.chat.composer.draft


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


@pytest.mark.parametrize("draft", ["!echo second", "!"])
async def test_what_it_printed_never_becomes_a_command_that_is_being_written(
    tmp_path: Path, draft: str
) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        app.chat.composer.put(f"!{WAITS}echo touch first")
        await pilot.press("enter")
        app.chat.composer.put(draft)
        await done(pilot, app, tmp_path)
        assert app.chat.composer.text == draft
        assert "after this command" in app.chat.said
        app.chat.composer.put("")
        await pilot.pause()
        assert app.chat.composer.draft.endswith("```\ntouch first\n```\n")


async def test_what_it_printed_is_no_search_and_waits_until_that_is_over(tmp_path: Path) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        app.chat.composer.put(f"!{WAITS}echo here")
        await pilot.press("enter", "ctrl+r")
        await done(pilot, app, tmp_path)
        assert app.chat.composer.text == ""
        await pilot.press("escape")
        await pilot.pause()
        assert "here" in app.chat.composer.text


async def test_who_writes_meanwhile_writes_on_in_front_of_it(tmp_path: Path) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        app.chat.composer.put(f"!{WAITS}seq 200")
        await pilot.press("enter", *"fix ")
        await done(pilot, app, tmp_path)
        await pilot.press(*"it")
        assert app.chat.composer.text.startswith("fix it\n[paste #1 ·")


async def test_one_long_line_is_folded_too(tmp_path: Path) -> None:
    app = app_over(FakeBridge(chat(cwd=str(tmp_path))))
    async with started(app) as pilot:
        await entered(pilot, app, "!head -c 20000 /dev/zero | tr '\\0' x")
        assert app.chat.composer.text.startswith("[paste #1 ·")


async def test_the_frame_names_it_as_long_as_it_runs_and_ctrl_c_ends_it_before_a_turn(tmp_path: Path) -> None:
    bridge = FakeBridge(chat(cwd=str(tmp_path), status=running()))
    app = app_over(bridge)
    async with started(app) as pilot:
        app.chat.composer.put("!sleep 60 # [b]")
        await pilot.press("enter")
        await pilot.pause()
        assert app.chat.composer.border_title == r"esc ends sleep 60 # \[b]"
        await pilot.press("ctrl+c")
        while app.chat.composer.own_command:
            await pilot.pause()
        assert "was ended" in app.chat.said
        assert bridge.asked == []


async def test_the_frame_says_what_the_draft_is_and_a_blank_makes_it_a_prompt() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("!")
        assert app.chat.composer.border_title == COMMAND
        await pilot.press("enter")
        await pilot.pause()
        assert bridge.asked == []
        assert "goes behind the !" in app.chat.said
        await pilot.press("backspace", "space", "!", "x")
        assert app.chat.composer.border_title != COMMAND
        await pilot.press("enter")
        assert bridge.asked[-1] == ("send", "!x")
