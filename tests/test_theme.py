from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import Theme

from dsh_tui.engine.modes.mode import MODES_KNOWN
from dsh_tui.theme import DARK, LIGHT, THEMES, other

TEXT_ON = [
    (text, ground)
    for ground in ("background", "raised", "selected")
    for text in ("foreground", "dim", "accent", "ok", "warning", "error", "waiting")
] + [
    *((f"mode-{mode}", ground) for mode in MODES_KNOWN for ground in ("background", "raised")),
    ("background", "mode-full"),
    ("foreground", "added"),
    ("foreground", "removed"),
    ("foreground", "added-word"),
    ("foreground", "removed-word"),
    ("foreground", "screen-selection-background"),
]


def contrast(one: Color, two: Color) -> float:
    def luminance(colour: Color) -> float:
        parts = [channel / 255 for channel in colour.rgb]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_text_reaches_a_contrast_of_four_and_a_half(theme: Theme, text: str, ground: str) -> None:
    colours = {**theme.to_color_system().generate(), **theme.variables}
    assert contrast(Color.parse(colours[text]), Color.parse(colours[ground])) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("mark", ["faint", "frame"])
def test_frames_and_marks_reach_three(theme: Theme, mark: str) -> None:
    colours = {**theme.to_color_system().generate(), **theme.variables}
    assert contrast(Color.parse(colours[mark]), Color.parse(colours["background"])) >= 3.0


def test_the_toggle_goes_back_and_forth() -> None:
    assert other(DARK) == LIGHT
    assert other(LIGHT) == DARK


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_mode_has_a_colour_of_its_own(theme: Theme) -> None:
    assert len({theme.variables[f"mode-{mode}"] for mode in MODES_KNOWN}) == len(MODES_KNOWN)
