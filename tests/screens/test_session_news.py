"""The list of sessions while it is brought up to date."""

from __future__ import annotations

from dsh_tui.app import DshApp
from dsh_tui.screens.sessions import SessionsScreen
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import NOON, app_over, chat, running, sample_sessions, started


def browser(app: DshApp) -> SessionsScreen:
    assert isinstance(app.screen, SessionsScreen)
    return app.screen


async def test_what_is_newer_than_what_was_known_comes_on_top_until_one_has_chosen() -> None:
    port = FakeBridge(chat(status=running(state="idle")))
    port.library.rows = sample_sessions()
    newest = sample_sessions()[0]._replace(id="newest", title="The newest", updated_at=NOON + 1)
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        port.library.change([newest, *sample_sessions()])
        await pilot.pause()
        await pilot.pause()
        assert browser(app).row == newest
        await pilot.press("down")
        chosen = browser(app).row
        port.library.change([newest._replace(id="later", updated_at=NOON + 2), newest, *sample_sessions()])
        await pilot.pause()
        await pilot.pause()
        assert browser(app).row == chosen
        await pilot.press("up")
        browser(app)._settled()
        port.library.change(sample_sessions())
        await pilot.pause()
        port.library.change([newest, *sample_sessions()])
        await pilot.pause()
        await pilot.pause()
        assert browser(app).row != newest
