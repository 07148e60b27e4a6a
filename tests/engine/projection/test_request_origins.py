from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dsh_tui.engine.projection.request_origins import RequestOrigins, section_change, tool_change

Piece = tuple[str, str, int, str]
"""Name, plugin, load, text."""
CORE: Piece = ("core", "identity", 1, "You are it.")
STYLE: Piece = ("style", "house-rules", 7, "Short.")


def said(*pieces: Piece, tools: Sequence[tuple[str, str, int]] = (), process: int = 1) -> tuple[Any, str]:
    sections, at = [], 0
    for name, plugin, load, text in pieces:
        sections.append({"name": name, "plugin": plugin, "load": load, "start": at, "length": len(text)})
        at += len(text) + 2
    offered = [{"name": name, "plugin": plugin, "load": load} for name, plugin, load in tools]
    system = "\n\n".join(text for *_, text in pieces)
    return RequestOrigins({"sections": sections, "tools": offered}, process), system


def style(load: int = 7, text: str = "Short.", plugin: str = "house-rules") -> Piece:
    return "style", plugin, load, text


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([CORE, style(8, "Long.")], 'plugin "house-rules" reloaded: section "style" changed'),
        ([CORE, style(7, "Long.")], 'plugin "house-rules": section "style" changed'),
        ([CORE], 'plugin "house-rules" unloaded: section "style" was removed'),
        (
            [CORE, STYLE, ("more", "house-rules", 8, "x")],
            'plugin "house-rules" reloaded: section "more" was added',
        ),
        ([("new", "other", 9, "x"), CORE, STYLE], 'plugin "other" loaded: section "new" was added'),
        (
            [CORE, style(9, plugin="other")],
            'plugin "other" loaded: section "style" took the place of house-rules\'s',
        ),
        ([STYLE, CORE], "the order of its sections changed"),
    ],
)
def test_a_change_of_the_prompt_is_laid_at_its_plugins_door(after: list[Piece], words: str) -> None:
    assert section_change(*said(CORE, STYLE), *said(*after)) == words


def test_loads_of_two_processes_are_not_compared() -> None:
    words = section_change(*said(CORE, STYLE), *said(CORE, style(7, "Long."), process=2))
    assert words == 'plugin "house-rules" is another since the session was resumed: section "style" changed'


def test_the_words_of_a_listener_are_nobodys() -> None:
    (origins, system), longer = said(CORE, STYLE), "\n\nAnd more."
    assert [(one.name, one.plugin) for one in origins.sections(system + longer)][2:] == [("", "")]
    assert section_change(origins, system, origins, system + longer) == "the text of a listener was added"


@pytest.mark.parametrize("system", ["", "You", "You are it."])
def test_a_prompt_that_the_origins_do_not_fit_is_shown_all_the_same(system: str) -> None:
    origins, _ = said(CORE, STYLE)
    assert "".join(one.text for one in origins.sections(system)) == system


def test_a_tool_is_its_plugins() -> None:
    before, _ = said(tools=[("lookup", "house-rules", 3)])
    after, _ = said(tools=[("lookup", "house-rules", 4)])
    assert tool_change(before, after, "lookup", "changed") == (
        'plugin "house-rules" reloaded: tool "lookup" changed'
    )
    gone, _ = said()
    assert tool_change(before, gone, "lookup", "was removed") == (
        'plugin "house-rules" unloaded: tool "lookup" was removed'
    )
    assert tool_change(None, after, "lookup", "changed") == "the tool lookup changed"
