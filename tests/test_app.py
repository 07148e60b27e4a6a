from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from textual import events

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import ChatView
from dsh_tui.screens.ports import ChatPort
from dsh_tui.widgets.messages import FeedChanged
from tests.fakes.fake_bridge import FakeBridge, empty_view
from tests.fakes.fake_chat import CWD, app_over, chat, command_approval, started


async def test_the_composer_listens_before_the_engine_is_there_and_nothing_typed_is_lost() -> None:
    bridge = FakeBridge()
    ready = asyncio.Event()

    async def boot(app: DshApp) -> ChatPort:
        await ready.wait()
        bridge.post = app.post_view
        return bridge

    app = DshApp(boot, cwd=Path(CWD))
    async with app.run_test() as pilot:
        app.chat.composer.guards_bursts = False
        assert app.chat.composer.has_focus
        await pilot.press(*"first", "enter", *"second")
        await pilot.pause()
        assert app.chat.header_bar.facts.badge == "starting…"
        assert list(app.chat.queue_panel.rows) == ["first"]
        ready.set()
        while app.bridge is None:
            await pilot.pause()
        await pilot.pause()
        assert bridge.asked == [("send", "first")]
        assert app.chat.composer.text == "second"
        assert app.chat.header_bar.facts.badge == ""


@pytest.mark.parametrize("key", ["g", "i", "l", "m", "u", "n"])
async def test_what_needs_the_engine_says_that_it_is_not_there_yet(key: str) -> None:
    async def boot(_app: DshApp) -> ChatPort:
        return await asyncio.Future()

    app = DshApp(boot, cwd=Path(CWD))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+x", key)
        await pilot.pause()
        assert app.screen is app.chat
        assert app.chat.said == "The engine is not there yet; try again in a moment"


async def test_a_focus_that_is_told_before_there_is_a_screen_breaks_nothing() -> None:
    app = app_over(FakeBridge())
    app.on_app_focus()
    async with started(app):
        assert app.chat.composer.has_focus


async def test_an_engine_that_does_not_start_says_why_and_gives_the_prompt_back() -> None:
    async def boot(app: DshApp) -> ChatPort:
        await asyncio.sleep(0)
        app.chat.composer.guards_bursts = False
        raise RuntimeError("settings.yaml line 3: unknown key [modle]")

    reported: list[BaseException] = []

    def report(error: BaseException) -> str:
        reported.append(error)
        return "log"

    app = DshApp(boot, cwd=Path(CWD), report_crash=report)
    async with app.run_test() as pilot:
        app.chat.composer.guards_bursts = False
        await pilot.press(*"hello")
        await pilot.pause()
        assert app.chat.header_bar.facts.badge == "no engine"
        assert app.chat.composer.text == "hello"
        assert len(reported) == 1
        await pilot.press("ctrl+q")
    assert app.return_code == 0


async def test_a_view_that_is_overtaken_hands_its_changes_on() -> None:
    def view(changed_from: int, generation: int = 1) -> ChatView:
        return chat([], changed_from=changed_from, generation=generation)

    older, newer = FeedChanged(view(3)), FeedChanged(view(9))
    assert older.can_replace(newer)
    assert newer.view.changed_from == 3
    other_session = FeedChanged(view(0, generation=2))
    assert older.can_replace(other_session)
    assert other_session.view.changed_from == 0
    assert not older.can_replace(events.Idle())


@pytest.mark.parametrize("size", [(1, 1), (3, 3), (20, 5), (20, 6), (40, 12), (79, 24), (200, 60)])
async def test_no_size_breaks_the_screen(size: tuple[int, int]) -> None:
    bridge = FakeBridge(chat(approvals=[command_approval()], queue=["more"]))
    app = app_over(bridge)
    async with started(app, (80, 24)) as pilot:
        await pilot.press(*"keep")
        await pilot.resize_terminal(*size)
        await pilot.press("/", "backspace")
        for key in ("l", "m", "h"):
            await pilot.press("ctrl+x", key)
            await pilot.pause()
            await pilot.press("escape")
            await pilot.pause()
        await pilot.resize_terminal(80, 24)
        assert app.chat.composer.text == "keep"


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (20, 5)])
async def test_it_starts_in_the_smallest_window(size: tuple[int, int]) -> None:
    app = app_over(FakeBridge(empty_view()))
    async with started(app, size) as pilot:
        await pilot.press("a")
        assert app.chat.composer.text == "a"


class Broken(RuntimeError):
    """What a widget might raise."""


async def test_a_broken_widget_ends_with_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    app = app_over(FakeBridge())
    app._report_crash = lambda error: "/tmp/crash.log"

    def boom() -> None:
        raise Broken("the header [/b] broke")

    with pytest.raises(Broken):  # noqa: PT012 - it is raised where the app ends
        async with started(app) as pilot:
            app.call_later(boom)
            await pilot.pause()
    said = " ".join(capsys.readouterr().err.split())
    assert "dsh-tui stopped: Broken: the header [/b] broke. Details: /tmp/crash.log." in said
    assert "Traceback" not in said
    assert app.return_code == 1


async def test_leaving_closes_the_engine_first() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("/", *"quit", "enter")
        await pilot.pause()
    assert bridge.closed


async def test_a_second_ctrl_c_while_closing_does_not_wait() -> None:
    class Slow(FakeBridge):
        async def close(self) -> None:
            await asyncio.Event().wait()

    app = app_over(Slow())
    async with started(app) as pilot:
        await pilot.press("ctrl+q", "ctrl+q")
        await pilot.pause()
    assert app.return_code == 0


async def test_the_theme_switches() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press(*"/theme", "enter")
        await pilot.pause()
        assert app.theme == "dsh-light"


def test_nothing_heavy_is_imported_before_the_first_paint() -> None:
    script = "import dsh_tui.app, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"httpx", "pydantic", "yaml", "markdown_it", "dsh_tui.engine.kernel", "dsh_tui.engine.boot"}
    assert heavy & set(done.stdout.split()) == set()
