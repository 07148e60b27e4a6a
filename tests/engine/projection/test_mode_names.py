"""The way from mode to mode goes round through all that ask, and never into full access."""

from __future__ import annotations

from dsh_tui.engine.projection.mode_names import CYCLE, DEFAULT_MODE, FULL_ACCESS, MODES_KNOWN, next_mode


def test_going_on_passes_every_mode_but_full_access_and_comes_back() -> None:
    passed = [DEFAULT_MODE]
    while (following := next_mode(passed[-1])) != DEFAULT_MODE:
        passed.append(following)
    assert passed == list(CYCLE)
    assert {*passed, FULL_ACCESS} == {*MODES_KNOWN}


def test_from_full_access_and_from_a_mode_that_nobody_knows_it_goes_to_the_usual_one() -> None:
    assert next_mode(FULL_ACCESS) == next_mode("yolo") == next_mode("") == DEFAULT_MODE
