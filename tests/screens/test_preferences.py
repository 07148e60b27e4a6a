"""Theme and keys from the settings, in the running app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dsh_tui.actions import BY_ID
from dsh_tui.app import DshApp
from dsh_tui.attention import AttentionSettings
from dsh_tui.engine.product import Product
from dsh_tui.engine.settings.loader import parse_settings
from dsh_tui.engine.settings.settings_file import SettingsFile
from dsh_tui.preferences import LOOK_S, apply_preferences, follow_settings
from dsh_tui.screens.ports import ChatPort
from tests.fakes.fake_clock import FakeClock


def _product(text: str) -> Product:
    """Only the settings of a product, which is all that preferences read."""
    settings = parse_settings(Path("settings.yaml"), text.encode())
    return cast(
        "Product",
        SimpleNamespace(settings=settings, settings_file=SimpleNamespace(fault="")),
    )


async def _no_engine(_app: DshApp) -> ChatPort:
    raise RuntimeError("none in this test")


@pytest.mark.parametrize(
    ("text", "said"),
    [("theme: dsh-lite\n", "did you mean dsh-light?"), ("keymap: {session.brows: f5}\n", "session.browse?")],
)
async def test_what_names_nothing_is_said_with_the_nearest_name(text: str, said: str, tmp_path: Path) -> None:
    app = DshApp(_no_engine, cwd=tmp_path)
    heard: list[str] = []
    app.notice = lambda text, tone="info": heard.append(text)  # type: ignore[method-assign]  # listens in
    async with app.run_test():
        assert not apply_preferences(app, _product(text))
    assert said in heard[0]


async def test_a_theme_and_keys_are_used_at_once(tmp_path: Path) -> None:
    app = DshApp(_no_engine, cwd=tmp_path)
    async with app.run_test() as pilot:
        text = "theme: dsh-light\nkeymap:\n  session.browse: f5\n  app.palette: f6\n"
        text = text if "app.palette" in BY_ID else text.replace("  app.palette: f6\n", "")
        assert apply_preferences(app, _product(text))
        await pilot.pause()
        assert app.theme == "dsh-light"
        assert app.chat.own_keys["f5"].id == "session.browse"


async def test_a_look_that_fails_is_said_once_and_the_next_save_is_taken_up(tmp_path: Path) -> None:
    app = DshApp(_no_engine, cwd=tmp_path)
    heard: list[str] = []
    app.notice = lambda text, tone="info": heard.append(text)  # type: ignore[method-assign]  # listens in
    outcomes: list[bool | Exception] = [OSError("disk gone"), OSError("disk gone"), False, True]
    settings = parse_settings(Path("settings.yaml"), b"theme: dsh-light\n")

    async def reload_settings() -> bool:
        outcome = outcomes.pop(0) if outcomes else False
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    product = SimpleNamespace(
        settings=settings,
        settings_file=SimpleNamespace(fault=""),
        reload_settings=reload_settings,
    )
    clock = FakeClock()
    async with app.run_test():
        following = asyncio.create_task(follow_settings(app, cast("Product", product), clock))
        await clock.advance(LOOK_S * 5)
        assert not following.done()
        following.cancel()
        assert app.theme == "dsh-light"
    assert heard == [
        "settings.yaml: not taken up: disk gone",
        "settings.yaml: in use; mode and plugins with the next start",
    ]


async def test_a_broken_save_is_told_with_what_is_in_use_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("theme: dsh-light\n")
    file = SettingsFile(path, tolerant=True)
    app = DshApp(_no_engine, cwd=tmp_path)
    heard: list[str] = []
    app.notice = lambda text, tone="info": heard.append(text)  # type: ignore[method-assign]  # listens in

    async def reload_settings() -> bool:
        return file.reload()

    product = SimpleNamespace(settings=file.current, settings_file=file, reload_settings=reload_settings)
    clock = FakeClock()
    async with app.run_test():
        following = asyncio.create_task(follow_settings(app, cast("Product", product), clock))
        path.write_text("theem: dsh-light\nmodle: x\n")
        await clock.advance(LOOK_S)
        following.cancel()
    (told,) = heard
    assert told.startswith(
        f"What was in use before stays until this is mended: {path}:1: unknown key `theem`; "
    )
    assert told.endswith("; and 1 more (line 2)")


async def test_how_to_be_told_is_taken_up_from_the_settings(tmp_path: Path) -> None:
    app = DshApp(_no_engine, cwd=tmp_path)
    async with app.run_test():
        assert apply_preferences(app, _product("notifications: {bell: false, after_seconds: 60}\n"))
        assert app.attention.settings == AttentionSettings(bell=False, after_seconds=60)
        assert apply_preferences(app, _product("notifications: false\n"))
        assert app.attention.settings == AttentionSettings(bell=False, title=False, desktop=False)
