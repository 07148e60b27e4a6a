"""Colours: two themes, one accent, four meanings, a colour for each mode; all else is text and dim text.

Invariant: text reaches a contrast of 4.5:1 on every ground it is drawn on, rules and
frames 3:1 where they carry meaning. The test of this module holds that for each pair.
Source: screens spec (rules: calm, themes).
"""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = "dsh-dark"
LIGHT: Final = "dsh-light"


def _theme(name: str, *, dark: bool, **colour: str) -> Theme:
    """A Textual theme from our palette; derived variables of Textual point back into it."""
    text, dim, accent = colour["text"], colour["dim"], colour["accent"]
    return Theme(
        name=name,
        dark=dark,
        primary=accent,
        secondary=accent,
        accent=accent,
        foreground=text,
        background=colour["ground"],
        surface=colour["ground"],
        panel=colour["raised"],
        boost=colour["raised"],
        success=colour["ok"],
        warning=colour["warning"],
        error=colour["error"],
        variables={
            "dim": dim,
            "faint": colour["faint"],
            "rule": colour["rule"],
            "frame": colour["frame"],
            "raised": colour["raised"],
            "selected": colour["selected"],
            "ok": colour["ok"],
            "waiting": colour["waiting"],
            "mode-ask": accent,
            "mode-edits": colour["ok"],
            "mode-plan": colour["plan"],
            "mode-sandbox": colour["sandbox"],
            "mode-full": colour["error"],
            "added": colour["added"],
            "removed": colour["removed"],
            "added-word": colour["added_word"],
            "removed-word": colour["removed_word"],
            "text-muted": dim,
            "text-disabled": colour["faint"],
            "text-accent": accent,
            "text-primary": accent,
            "text-secondary": accent,
            "text-success": colour["ok"],
            "text-warning": colour["warning"],
            "text-error": colour["error"],
            "border": accent,
            "border-blurred": colour["frame"],
            "block-cursor-background": colour["selected"],
            "block-cursor-foreground": text,
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": colour["selected"],
            "block-cursor-blurred-foreground": text,
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": colour["raised"],
            "input-cursor-background": text,
            "input-cursor-foreground": colour["ground"],
            "input-cursor-text-style": "none",
            "input-selection-background": colour["selection"],
            "input-selection-foreground": text,
            "screen-selection-background": colour["selection"],
            "screen-selection-foreground": text,
            "scrollbar": colour["frame"],
            "scrollbar-hover": dim,
            "scrollbar-active": accent,
            "scrollbar-background": colour["ground"],
            "scrollbar-background-hover": colour["ground"],
            "scrollbar-background-active": colour["ground"],
            "scrollbar-corner-color": colour["ground"],
        },
    )


THEMES: Final = (
    _theme(
        DARK,
        dark=True,
        ground="#13151a",
        raised="#1c1f27",
        selected="#262b38",
        selection="#33415e",
        text="#d9dce3",
        dim="#949ba8",
        faint="#6d7482",
        rule="#2a2e38",
        frame="#646b7a",
        accent="#7fa9f5",
        ok="#86c08a",
        warning="#dcb05c",
        error="#f08080",
        waiting="#c6a0f0",
        plan="#e29ad2",
        sandbox="#5fc4be",
        added="#173021",
        removed="#3a1d22",
        added_word="#23553a",
        removed_word="#6a2c35",
    ),
    _theme(
        LIGHT,
        dark=False,
        ground="#fbfaf8",
        raised="#f1efeb",
        selected="#e4e6ee",
        selection="#c9d8f5",
        text="#23272e",
        dim="#5c6470",
        faint="#7f8793",
        rule="#dddad4",
        frame="#888f9a",
        accent="#2b5fc2",
        ok="#2a7138",
        warning="#855a00",
        error="#b3302f",
        waiting="#7a3fb5",
        plan="#a0307f",
        sandbox="#1a6f6c",
        added="#dff2e3",
        removed="#fae3e2",
        added_word="#b4e0bf",
        removed_word="#f3bcb9",
    ),
)
"""Both themes; the first is the default."""


def other(name: str) -> str:
    """The theme to switch to from ``name``."""
    return LIGHT if name == DARK else DARK
