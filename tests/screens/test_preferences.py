"""Theme and keys from the settings, in the running app."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dsh_tui.actions import BY_ID
from dsh_tui.app import DshApp
from dsh_tui.engine.product import Product
from dsh_tui.engine.settings.loader import parse_settings
from dsh_tui.preferences import apply_preferences
from dsh_tui.screens.ports import ChatPort


def _product(text: str) -> Product:
    """Only the settings of a product, which is all that preferences read."""
    return cast("Product", SimpleNamespace(settings=parse_settings(Path("settings.yaml"), text.encode())))


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
