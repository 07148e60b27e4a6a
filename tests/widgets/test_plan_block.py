"""A plan in the transcript: what became of it, and the whole of it where it counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dsh_tui.engine.projection.calls import called, decided, finished
from dsh_tui.engine.projection.plain_text import render_markdown
from dsh_tui.engine.projection.views import CallState, ToolView
from dsh_tui.theme import THEMES
from dsh_tui.widgets.block_rows import draw, estimate, foldable, gap, opens_itself, source
from dsh_tui.widgets.palette import palette_from

INK = palette_from({**THEMES[0].to_color_system().generate(), **THEMES[0].variables})
MARKDOWN = "# Split the module\n\n1. Move `a`\n2. Run the tests\x1b[2J\n"
PLAN = called(1, 0, "c1", "exit_plan_mode", json.dumps({"plan": MARKDOWN}))
READ = called(2, 0, "c2", "read", "{}")


def shown(view: ToolView, width: int = 80, *, toggled: bool = False) -> list[str]:
    folded = opens_itself(view) is toggled
    rows = draw(view, width, INK, folded=folded, before=None).rows
    return ["".join(segment.text for segment in row.segments).rstrip() for row in rows]


@pytest.mark.parametrize(
    ("state", "summary", "word", "is_open"),
    [
        ("waiting", "", "waiting for you", False),
        ("ok", "approved", "approved", True),
        ("ok", "", "handed over", True),
        ("denied", "by you", "sent back", False),
        ("denied", "nobody could approve", "nobody could approve", False),
        ("cancelled", "not answered", "not answered", False),
    ],
)
@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_a_plan_says_what_became_of_it_and_is_open_where_it_counts(
    state: CallState, summary: str, word: str, is_open: bool, width: int
) -> None:
    view = replace(PLAN, state=state, summary=summary)
    rows = shown(view, width)
    assert width < 60 or rows[0].startswith("    ")
    assert "Plan" in rows[0]
    assert width < 60 or word in rows[0]
    assert width < 60 or "Split the module" in "".join(rows[:2])
    assert (len(rows) > 1) is is_open
    assert (len(shown(view, width, toggled=True)) > 1) is not is_open
    assert all(len(row) <= width for row in rows)


def test_its_markdown_is_drawn_as_a_document_and_nothing_drives_the_terminal() -> None:
    text = "\n".join(shown(replace(PLAN, state="ok")))
    assert "# Split" not in text
    assert "Move a" in text
    assert "\x1b" not in text


def test_the_words_that_sent_it_back_stand_under_it() -> None:
    view = decided(PLAN, {"outcome": "rejected", "feedback": "Smaller steps."})
    assert "You said: Smaller steps." in shown(view)[1]


def test_copying_it_gives_the_markdown_and_an_export_has_all_of_it() -> None:
    view = finished(decided(PLAN, {"outcome": "allowed-once"}), {"content": (), "isError": False}, 9)
    assert source(view) == MARKDOWN
    assert "2. Run the tests" in render_markdown("t", [view])
    assert foldable(view)


def test_it_stands_by_itself_among_calls() -> None:
    assert (gap(READ, READ), gap(READ, PLAN), gap(PLAN, READ)) == (0, 1, 1)


def test_a_guess_of_its_height_is_near() -> None:
    states: tuple[CallState, ...] = ("ok", "denied")
    for state in states:
        view = replace(PLAN, state=state)
        assert abs(estimate(view, 80) - len(shown(view))) <= 3
