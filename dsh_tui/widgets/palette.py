"""The styles that blocks are drawn with, resolved once per theme.

Frozen: renderers take a palette and nothing else of the app, so that they stay pure.
Source: screens spec (rules: calm, themes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.style import Style

from dsh_tui.engine.projection.views import Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Rich styles by meaning. Grounds are only set where they differ from the screen's."""

    text: Style
    dim: Style
    faint: Style
    accent: Style
    ok: Style
    warning: Style
    error: Style
    waiting: Style
    rule: Style
    strong: Style
    heading: Style
    code: Style
    link: Style
    added: Style
    removed: Style
    added_word: Style
    removed_word: Style
    cursor: Style
    """Ground of the block under the cursor."""
    selection: Style
    marker: Style
    """New lines below."""
    hidden: Style
    """What stands for characters that can't be seen."""
    comment: Style
    name: Style

    def tone(self, tone: Tone) -> Style:
        """The colour of a notice."""
        return {"info": self.dim, "ok": self.ok, "warning": self.warning, "error": self.error}[tone]


def palette_from(variables: Mapping[str, str]) -> Palette:
    """A palette out of a theme's CSS variables; Textual's own names stand in for ours."""

    def colour(name: str, stand_in: str) -> str | None:
        value = variables.get(name) or variables.get(stand_in, "")
        return value if value.startswith("#") and len(value) == len("#rrggbb") else None

    def ink(name: str, stand_in: str = "foreground") -> Style:
        return Style(color=colour(name, stand_in))

    def ground(name: str, stand_in: str) -> Style:
        return Style(bgcolor=colour(name, stand_in))

    text, dim, accent = ink("foreground"), ink("dim", "text-muted"), ink("accent")
    return Palette(
        text=text,
        dim=dim,
        faint=ink("faint", "text-disabled"),
        accent=accent,
        ok=ink("ok", "success"),
        warning=ink("warning"),
        error=ink("error"),
        waiting=ink("waiting", "accent"),
        rule=ink("frame", "border-blurred"),
        strong=text + Style(bold=True),
        heading=text + Style(bold=True),
        code=accent + ground("raised", "panel"),
        link=accent + Style(underline=True),
        added=ground("added", "success-muted"),
        removed=ground("removed", "error-muted"),
        added_word=ground("added-word", "success-muted"),
        removed_word=ground("removed-word", "error-muted"),
        cursor=ground("raised", "panel"),
        selection=ground("screen-selection-background", "primary-muted"),
        marker=accent + ground("selected", "panel") + Style(bold=True),
        hidden=ink("warning") + ground("selected", "panel") + Style(bold=True),
        comment=dim + Style(italic=True),
        name=text + Style(bold=True),
    )
