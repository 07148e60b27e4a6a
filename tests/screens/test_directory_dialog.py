from __future__ import annotations

from textual.widgets import Input, Static

from dsh_tui.app import DshApp
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.screens.directory_entry import DirectoryEntry
from dsh_tui.screens.sessions import SessionsScreen
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import CWD, app_over, chat, running, sample_sessions, started

GONE = "/work/old is gone"


def lost() -> FakeBridge:
    made = FakeBridge(chat(status=running(state="idle")))
    made.library.rows = sample_sessions()
    made.change(lost_directory=GONE, read_only=f"{GONE} · /directory gives this session another")
    return made


def asks(app: DshApp) -> bool:
    return isinstance(app.screen, DirectoryEntry)


async def test_it_is_asked_at_once_and_enter_takes_the_directory_of_the_app() -> None:
    port = lost()
    app = app_over(port)
    async with started(app) as pilot:
        assert asks(app)
        assert GONE in str(app.screen.query_one(".explanation", Static).content)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert port.asked == [("move_session", CWD)]
        assert app.screen is app.chat


async def test_what_can_not_be_worked_in_is_told_in_the_dialog_and_nothing_typed_is_lost() -> None:
    port = lost()
    port.fails["move_session"] = HarnessError("there is no directory /nowhere [/x]")
    app = app_over(port)
    async with started(app) as pilot:
        app.screen.query_one(Input).value = "/nowhere"
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "no directory /nowhere [/x]" in str(app.screen.query_one("#trouble", Static).content)
        assert app.screen.query_one(Input).value == "/nowhere"


async def test_esc_leaves_it_to_be_read_and_the_command_asks_again() -> None:
    port = lost()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.chat
        assert str(app.chat.composer.placeholder).startswith(GONE)
        port.change(queue=[])
        await pilot.pause()
        assert app.screen is app.chat
        await pilot.press(*"/directory", "enter")
        await pilot.pause()
        assert asks(app)
        assert port.asked == []


async def test_ctrl_l_goes_to_the_other_sessions() -> None:
    app = app_over(lost())
    async with started(app) as pilot:
        await pilot.press("ctrl+l")
        await pilot.pause()
        assert isinstance(app.screen, SessionsScreen)


async def test_it_is_asked_when_the_browser_is_left_and_not_above_it() -> None:
    port = lost()
    port.change(lost_directory="", read_only="")
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        port.change(session_id="other", lost_directory=GONE, read_only=GONE)
        await pilot.pause()
        assert isinstance(app.screen, SessionsScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert asks(app)


async def test_a_session_with_a_directory_says_where_it_works() -> None:
    port = FakeBridge(chat(status=running(state="idle")))
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press(*"/directory", "enter")
        await pilot.pause()
        assert app.screen is app.chat
        assert f"works in {CWD}" in str(app.chat.status_bar.render())
