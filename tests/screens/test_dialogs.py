from __future__ import annotations

from dataclasses import replace

from textual.pilot import Pilot
from textual.widgets import Input, Static

from dsh_tui.actions import ACTIONS, BY_LEADER, BY_NAME, BY_SLASH, bindings, keys_of
from dsh_tui.app import DshApp
from dsh_tui.commands import OFFERED
from dsh_tui.engine.projection.views import ModelRow
from dsh_tui.screens.chat import ChatScreen
from dsh_tui.screens.help import help_lines
from dsh_tui.screens.sessions import SessionsScreen
from dsh_tui.widgets.transcript import Transcript
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, chat, running, started
from tests.fakes.history_chat import with_history

MODELS = [
    ModelRow("deepseek", "deepseek-flash", ("off", "low", "high"), "high", 128_000, True),
    ModelRow("deepseek", "deepseek-v4-pro", ("off", "high", "max"), "high", 256_000),
]


async def test_a_model_and_its_effort_are_taken_together() -> None:
    bridge = FakeBridge()
    bridge.model_rows = MODELS
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "m")
        await pilot.pause()
        await pilot.press(*"pro", "right", "enter")
        await pilot.pause()
        assert bridge.asked == [("select_model", "deepseek", "deepseek-v4-pro", "max")]
        assert app.screen is app.chat


async def test_any_model_id_passes() -> None:
    bridge = FakeBridge()
    bridge.model_rows = MODELS
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "m")
        await pilot.pause()
        await pilot.press(*"local/qwen-9", "enter")
        await pilot.pause()
        assert bridge.asked == [("select_model", "local", "qwen-9", "")]


async def test_the_picker_says_what_a_choice_would_send_uncached() -> None:
    bridge = with_history()
    bridge.model_rows = [replace(MODELS[0], efforts=("low", "high", "max")), MODELS[1]]
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "m")
        await settled(pilot)
        assert cost(app) == ""
        await pilot.press("left")
        await settled(pilot)
        assert cost(app).endswith("uncached; the cached prefix stays")
        await pilot.press(*"pro")
        await settled(pilot)
        assert "uncached (≈$0.0001, was ~" in cost(app)


def cost(app: DshApp) -> str:
    return str(app.screen.query_one("#forecast", Static).content)


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def test_without_a_key_the_panel_offers_ways_and_the_key_is_masked() -> None:
    bridge = FakeBridge(chat(status=running(state="idle"), read_only="recording"))
    bridge.access.needs_key = True
    app = app_over(bridge)
    async with started(app) as pilot:
        assert app.chat.first_run.has_focus
        assert app.chat.header_bar.facts.badge == "recording"
        await pilot.press("1")
        await pilot.pause()
        assert app.screen.query_one(Input).password
        bridge.fails["save_key"] = RuntimeError("credentials.yaml: [Errno 28] no space left")
        await pilot.press(*"sk-1", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "no space left" in str(app.screen.query_one("#trouble", Static).content)
        bridge.fails.clear()
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert bridge.asked == [("save_key", "sk-1")]
        assert not app.chat.first_run.has_class("-needed")
        assert app.chat.composer.has_focus


async def test_a_server_needs_an_address() -> None:
    bridge = FakeBridge()
    bridge.access.needs_key = True
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("2")
        await pilot.pause()
        await pilot.press(*"localhost", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "http://" in str(app.screen.query_one("#trouble", Static).content)
        app.screen.query_one(Input).value = "http://127.0.0.1:8080/v1"
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert bridge.asked == [("save_base_url", "http://127.0.0.1:8080/v1")]


async def test_nothing_is_sent_without_a_key_and_the_draft_stays() -> None:
    bridge = FakeBridge()
    bridge.access.needs_key = True
    app = app_over(bridge)
    async with started(app) as pilot:
        app.chat.composer.focus()
        await pilot.press(*"hello", "enter")
        assert bridge.asked == []
        assert app.chat.composer.text == "hello"


async def test_a_session_that_cannot_be_written_keeps_the_draft() -> None:
    bridge = FakeBridge(chat(status=running(state="idle"), read_only="held by process 77 until 14:20"))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert bridge.asked == []
        assert app.chat.composer.text == "hello"
        assert "process 77" in app.chat.status_bar.render().plain  # type: ignore[union-attr] # it renders Content


async def test_the_palette_runs_an_action() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"new session")
        await pilot.pause(0.2)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert bridge.asked == [("new_session",)]


def test_every_action_can_be_done_and_no_key_has_two_meanings() -> None:
    for action in ACTIONS:
        if action.place == "app":
            assert callable(getattr(ChatScreen, f"action_{action.method}", None)), action.id
        if action.place == "browser":
            assert callable(getattr(SessionsScreen, f"action_{action.method}", None)), action.id
        if action.place == "transcript":
            assert callable(getattr(Transcript, f"action_{action.method}", None)), action.id
    for place in ("app", "browser", "transcript"):
        keys = [key for binding in bindings(place=place) for key in binding.key.split(",")]
        assert len(keys) == len(set(keys))
    leaders = [action.leader for action in ACTIONS if action.leader]
    assert len(leaders) == len(BY_LEADER)
    slashes = [action.slash for action in ACTIONS if action.slash]
    assert len(slashes) == len(BY_SLASH)
    aliases = [alias for action in ACTIONS for alias in action.aliases]
    assert len({*aliases, *slashes}) == len(aliases) + len(slashes) == len(BY_NAME)


def test_help_names_every_key_and_command() -> None:
    for width in (76, 116):
        text = help_lines(width).plain
        assert max(len(line) for line in text.splitlines()) <= width
        for action in ACTIONS:
            assert action.label in text
            assert all(key in text for key in keys_of(action))
    assert all(f"/{slash}" in help_lines(116).plain for slash in BY_SLASH)


def test_the_palette_offers_what_can_be_named() -> None:
    assert {"session.browse", "mode.full", "view.theme"} <= {action.id for action in OFFERED}
    assert all(action.place == "app" for action in OFFERED)
