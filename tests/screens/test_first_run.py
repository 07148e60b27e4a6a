"""A recording on the chat screen: marked everywhere, answerable nowhere, left by a key."""

from __future__ import annotations

from dsh_tui.widgets.first_run_panel import KEYLESS, RECORDED
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import Hands, app_over, chat, edit_approval, running, started

PLAYING = "recording: nothing here is live; /key takes a key, /server a local server"


def keyless(**view: object) -> FakeBridge:
    bridge = FakeBridge(chat(read_only=PLAYING, **view))  # type: ignore[arg-type] # the fields of ChatView
    bridge.access.needs_key = True
    return bridge


async def test_a_recorded_question_is_shown_and_cant_be_answered() -> None:
    hands, bridge = Hands(), FakeBridge(chat(approvals=[edit_approval()], read_only=PLAYING))
    app = app_over(bridge, hands=hands)
    async with started(app, (120, 40)) as pilot:
        dock = app.chat.dock
        assert dock.has_class("-pending")
        assert "recorded" in str(dock.border_subtitle)
        hands.pass_(60)
        await pilot.press("f8", "1", "y")
        assert not dock.has_focus
        assert [asked for asked in bridge.asked if asked[0] == "answer"] == []
        assert app.chat.composer.text == "1y"


async def test_the_choices_shrink_to_a_line_where_a_question_needs_the_rows() -> None:
    bridge = keyless(approvals=[edit_approval()])
    app = app_over(bridge)
    async with started(app, (80, 24)) as pilot:
        panel = app.chat.first_run
        assert (panel.size.height, app.chat.status_bar.region.bottom) == (1, 24)
        bridge.change(approvals=())
        await pilot.pause()
        assert panel.size.height == 3
        assert str(panel.border_title) == RECORDED
        bridge.change(read_only="")
        await pilot.pause()
        assert app.chat.status_bar.badge == ""


async def test_letters_at_the_choices_begin_a_draft_and_numbers_choose() -> None:
    app = app_over(keyless())
    async with started(app) as pilot:
        assert app.focused is app.chat.first_run
        await pilot.press("h", "i")
        assert app.chat.composer.text == "hi"
        assert app.chat.composer.has_focus
        await pilot.press("enter")
        assert app.chat.composer.text == "hi"  # nothing is lost where nothing can be sent
        app.chat.first_run.focus()
        await pilot.press("1")
        await pilot.pause()
        assert app.screen is not app.chat


async def test_a_session_without_a_key_can_be_read_and_says_so() -> None:
    bridge = FakeBridge(chat())
    bridge.access.needs_key = True
    app = app_over(bridge)
    async with started(app):
        assert str(app.chat.first_run.border_title) == KEYLESS
        assert app.chat.status_bar.badge == ""


async def test_esc_leaves_the_demo_and_the_next_prompt_too() -> None:
    bridge = FakeBridge(chat(read_only=PLAYING, status=running(state="idle")))
    app = app_over(bridge)
    async with started(app) as pilot:
        assert app.chat.header_bar.facts.badge == app.chat.status_bar.badge == "recording"
        await pilot.press("escape")
        assert bridge.asked[-1] == ("leave_recording", "")
        await pilot.press("h", "i", "enter")
        assert bridge.asked[-1] == ("send", "hi")
