"""Every mode has its words wherever a mode is shown; a name from a log is never markup."""

from __future__ import annotations

import pytest

from dsh_tui.engine.modes.mode import DEFAULT_MODE, MODES_KNOWN
from dsh_tui.widgets.mode_look import badge, colour, label, promise


@pytest.mark.parametrize("mode", MODES_KNOWN)
def test_a_mode_is_told_by_words_and_not_by_colour_alone(mode: str) -> None:
    assert mode in badge(mode).plain
    assert colour(mode) == f"$mode-{mode}"
    words = label(mode)
    assert mode == DEFAULT_MODE if words is None else mode in words.plain
    assert not promise(mode).startswith("The mode is")


def test_full_access_stands_out_in_the_status_bar() -> None:
    assert any("on $mode-full" in str(span.style) for span in badge("full").spans)


@pytest.mark.parametrize("mode", ["[red]x[/]", "a\x1b[2Jb", "y\nz"])
def test_a_name_that_nobody_knows_is_plain_text_and_looks_like_a_warning(mode: str) -> None:
    assert colour(mode) == "$warning"
    assert label(mode) is None
    assert "\x1b" not in badge(mode).plain + promise(mode)
    assert "\n" not in badge(mode).plain
