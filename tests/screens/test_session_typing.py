from __future__ import annotations

import asyncio

from textual import events
from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import SessionHits
from dsh_tui.screens.sessions import SessionsScreen
from tests.fakes.fake_bridge import FakeBridge, FakeLibrary
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
        assert [row.id for row in browser(app)._all.rows] == [row.id for row in sample_sessions()]
        assert "titles: 1" in str(browser(app).query_one("#counts", Static).content)
        assert "the disk is gone [/x]" in str(browser(app).query_one("#place", Static).content)


class SlowLibrary(FakeLibrary):
    """Finds what was said when it is told to."""

    def __init__(self, port: FakeBridge) -> None:
        super().__init__(port.asked, port.fails)
        self.rows = sample_sessions()
        self.let = asyncio.Event()

    async def search(self, words: str, cwd: str | None) -> SessionHits:
        await self.let.wait()
        return await super().search(words, cwd)


async def test_enter_right_behind_a_word_opens_what_the_word_lists_and_not_what_was_listed_before() -> None:
    port = FakeBridge(chat(status=running(state="idle")))
    port.library = SlowLibrary(port)
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        for letter in "idem":
            app.post_message(events.Key(letter, letter))
        app.post_message(events.Key("enter", None))
        while not port.asked:
            await pilot.pause()
        assert port.asked == [("open_session", "s3")]


async def test_titles_do_not_wait_for_what_was_said() -> None:
    port = FakeBridge(chat(status=running(state="idle")))
    port.library = library = SlowLibrary(port)
    library.said["s2"] = "the flaky clock"
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press(*"flaky")
        shown = browser(app)._list
        while len(shown.rows) != 1:
            await pilot.pause()
        library.let.set()
        while len(shown.rows) != 4:
            await pilot.pause()
        assert [getattr(line, "id", line) for line in shown.rows][:3] == ["s1", "Said in 1 session", "s2"]
