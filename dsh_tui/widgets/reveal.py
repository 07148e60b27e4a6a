"""Reveals what a text to be approved hides: what `exact` shows, and also long gaps and odd blanks.

Nothing that could push a part of a command out of view or pass for a plain space is drawn as itself.
Source: UX spec §4 (full command reachable; escape control and invisible characters).
"""

from __future__ import annotations

import re
from typing import Final

from dsh_tui.engine.base.visible import escape, exact
from dsh_tui.widgets.visible_text import TAB

LONG_GAP: Final = 20
"""Most white space in a row that is drawn as it is."""

_ODD_BLANK: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]")
_GAP: Final = re.compile(rf"[^\S\n]{{{LONG_GAP + 1},}}")
_EMPTY_LINES: Final = re.compile(rf"(?:[^\S\n]*\n){{{LONG_GAP + 1},}}")


def reveal(text: str) -> str:
    """``text`` with nothing hidden: line feeds stay, tabs are spaces, gaps say their size."""
    text = exact(text)
    text = _EMPTY_LINES.sub(lambda match: f"\n‹{match[0].count(chr(10)) - 1:,} empty lines›\n", text)
    text = _GAP.sub(lambda match: f" ‹{len(match[0]):,} blanks› ", text)
    return _ODD_BLANK.sub(lambda match: escape(match[0]), text).expandtabs(TAB)
