from __future__ import annotations

from textual import events
from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.screens.sessions import SessionsScreen
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, chat, running, sample_sessions, started


def browser(app: DshApp) -> SessionsScreen:
    assert isinstance(app.screen, SessionsScreen)
    return app.screen


async def test_what_is_typed_at_once_is_the_filter_whole() -> None:
    app = app_over(FakeBridge(chat(status=running(state="idle"))))
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        for letter in "a b/c ":  # a pilot waits behind each key, a terminal does not
            app.post_message(events.Key({" ": "space", "/": "slash"}.get(letter, letter), letter))
        await pilot.pause(0.1)
        assert browser(app)._filter.value == "a b/c "


async def test_a_list_that_can_not_be_kept_up_to_date_stays_and_says_why_whatever_is_typed() -> None:
    port = FakeBridge(chat(status=running(state="idle")))
    port.library.rows = sample_sessions()
    port.fails["watch"] = RuntimeError("the disk is gone [/x]")
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("tab", *"idem")
        await pilot.pause()
        assert [row.id for row in browser(app)._all] == [row.id for row in sample_sessions()]
        assert "titles: 1" in str(browser(app).query_one("#counts", Static).content)
        assert "the disk is gone [/x]" in str(browser(app).query_one("#place", Static).content)
