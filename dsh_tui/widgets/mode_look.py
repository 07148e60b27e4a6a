"""How a mode looks wherever it is shown: its colour, its name, and what it means in a few words.

Source: screens spec (a state is never a colour alone); design §3.16.
"""

from __future__ import annotations

from typing import Final

from textual.content import Content

from dsh_tui.engine.projection.mode_names import DEFAULT_MODE, FULL_ACCESS
from dsh_tui.widgets.visible_text import one_line

LABELS: Final = {
    "edits": "edits · file changes run",
    "plan": "plan · nothing is changed",
    "sandbox": "sandbox · commands run confined",
    "full": "full access · nothing asks",
}
"""What stands in the composer's frame; the usual mode needs no words there."""

_PROMISES: Final = {
    "ask": "Reading runs by itself; anything that changes something asks you first.",
    "edits": "Reading and changing files here runs by itself; everything else asks you first.",
    "plan": "Nothing is changed: the agent reads, and hands you a plan to approve.",
    "sandbox": "Commands run confined; what reaches out of the confinement asks you first.",
    "full": "Nothing asks: the agent runs and changes whatever it wants to.",
}


def colour(mode: str) -> str:
    """The theme variable of a mode; of one that nobody knows, the one for warnings."""
    return f"$mode-{mode}" if mode in (DEFAULT_MODE, *LABELS) else "$warning"


def promise(mode: str) -> str:
    """What a person may expect of the mode, in a sentence."""
    return _PROMISES.get(mode, f"The mode is {one_line(mode)}.")


def badge(mode: str) -> Content:
    """The name as the status bar shows it. Full access can't be overlooked."""
    name = one_line(mode) or DEFAULT_MODE
    if mode == FULL_ACCESS:
        return Content.styled(f" {name} ", f"bold $background on {colour(mode)}")
    return Content.styled(name, f"bold {colour(name)}")


def label(mode: str) -> Content | None:
    """The words in the composer's frame."""
    words = LABELS.get(mode)
    return Content.styled(words, f"bold {colour(mode)}") if words else None
