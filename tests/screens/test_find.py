"""ctrl+f on the chat screen: the bar, what it says, and where the keys go after it."""

from __future__ import annotations

from textual.widgets import Static

from dsh_tui.app import DshApp
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, chat, running, started


def told(app: DshApp) -> str:
    return str(app.chat.find_bar.query_one("#find-told", Static).content)


async def test_ctrl_f_finds_while_one_types_and_esc_gives_the_keys_back() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app, size=(120, 40)) as pilot:
        await pilot.press(*"draft", "ctrl+f", *"retry")
        await pilot.pause()
        assert " of " in told(app)
        assert "esc closes" in told(app)
        number = int(told(app).split()[1])
        await pilot.press("enter")
        await pilot.pause()
        assert int(told(app).split()[1]) <= number
        await pilot.press(*"zzz")
        await pilot.pause()
        assert "nowhere in this session" in told(app)
        await pilot.press("escape")
        await pilot.pause()
        assert not app.chat.find_bar.display
        assert app.chat.composer.has_focus
        assert app.chat.composer.text == "draft"


async def test_tab_goes_to_what_was_found_where_n_goes_on_and_y_copies() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app, size=(120, 40)) as pilot:
        await pilot.press("ctrl+f", *"retry", "tab")
        await pilot.pause()
        assert app.chat.transcript.has_focus
        first = app.chat.transcript.cursor
        assert first is not None
        await pilot.press("n")
        await pilot.pause()
        assert app.chat.transcript.cursor != first
        await pilot.press("N")
        await pilot.pause()
        assert app.chat.transcript.cursor == first


async def test_the_slash_command_takes_the_words_with_it() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app, size=(120, 40)) as pilot:
        for _ in range(2):  # the second time the words stand in the bar already
            app.chat.perform_slash("search", "retry")
            await pilot.pause()
            await pilot.pause()
            assert app.chat.find_bar.words == "retry"
            assert " of " in told(app)
            await pilot.press("escape")


async def test_esc_closes_the_bar_before_it_stops_a_turn() -> None:
    bridge = FakeBridge(chat(status=running()))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+f", "escape")
        assert bridge.asked == []
        await pilot.press("escape")
        await pilot.pause()
        assert bridge.asked == [("cancel",)]


async def test_ctrl_c_in_the_bar_closes_it_and_stops_a_turn_only_then() -> None:
    bridge = FakeBridge(chat(status=running()))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+f", *"retry", "ctrl+c")
        assert not app.chat.find_bar.display
        assert bridge.asked == []
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert bridge.asked == [("cancel",)]


async def test_another_session_begins_without_the_bar() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app) as pilot:
        await pilot.press("ctrl+f", *"retry")
        app.chat.show(chat(session_id="another", generation=2))
        await pilot.pause()
        assert not app.chat.find_bar.display
        assert app.chat.composer.has_focus
        assert app.chat.composer.text == ""


async def test_an_empty_session_has_nothing_to_find() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press("ctrl+f")
        assert not app.chat.find_bar.display
        assert app.chat.said == "Nothing to find yet"
