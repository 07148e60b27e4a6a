"""What of the user's settings concerns the screen: theme, keys, attention. Taken up at start and on save.

Source: design §4 (settings.yaml).
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import TYPE_CHECKING

from dsh_tui.actions import BY_ID
from dsh_tui.attention import AttentionSettings
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.errors import error_chain
from dsh_tui.theme import THEMES

if TYPE_CHECKING:
    from dsh_tui.app import DshApp
    from dsh_tui.engine.product import Product

_log = logging.getLogger(__name__)

LOOK_S = 2.0
"""How often the file is looked at. One `stat` costs some microseconds; a watcher costs a thread."""


def apply_preferences(app: DshApp, product: Product) -> bool:
    """Use what the settings say; a theme or key that names nothing is said, left out, and makes it False."""
    settings = product.settings
    wanted = settings.notifications
    app.attention.settings = AttentionSettings(
        bell=wanted.bell, title=wanted.title, desktop=wanted.desktop, after_seconds=wanted.after_seconds
    )
    themes = [theme.name for theme in THEMES]
    if settings.theme in themes:
        app.theme = settings.theme
    else:
        _refuse(app, "theme", settings.theme, themes)
    unknown = sorted(set(settings.keymap) - set(BY_ID))
    for name in unknown:
        _refuse(app, "keymap: action", name, list(BY_ID))
    known = {BY_ID[name]: keys for name, keys in settings.keymap.items() if name in BY_ID}
    app.set_keymap({action.id: keys for action, keys in known.items() if action.keys})
    app.chat.own_keys = {
        key.strip(): action for action, keys in known.items() if not action.keys for key in keys.split(",")
    }
    return settings.theme in themes and not unknown


async def follow_settings(app: DshApp, product: Product, clock: Clock = SYSTEM_CLOCK) -> None:
    """Take up saves of the settings file for as long as this runs; a broken one is said and left alone."""
    said = ""
    while True:
        await clock.sleep(LOOK_S)
        try:
            await _take_up(app, product)
            said = ""
        except Exception as error:  # noqa: BLE001  # said once; the next save is looked at all the same
            trouble = error_chain(error)
            if trouble != said:
                _log.exception("settings.yaml: not taken up")
                app.notice(f"settings.yaml: not taken up: {trouble}", "error")
            said = trouble


async def _take_up(app: DshApp, product: Product) -> None:
    if not await product.reload_settings():
        return
    if product.settings_file.fault:
        app.notice(product.settings_file.notice, "warning")
    elif apply_preferences(app, product):
        app.notice("settings.yaml: in use; mode and plugins with the next start")


def _refuse(app: DshApp, what: str, name: str, known: list[str]) -> None:
    near = get_close_matches(name, known, n=1, cutoff=0.4)
    advice = f"did you mean {near[0]}?" if near else f"known: {', '.join(known[:8])}"
    app.notice(f"settings.yaml: {what} {name}: there is none; {advice}", "warning")
