from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.projection.request_origins import ANCHORS, RequestOrigins, section_change, tool_change
from dsh_tui.engine.projection.requests import RequestBook
from tests.fakes.history_log import CONFIG, TOOLS, Teller
from tests.fakes.session_logs import text

Piece = tuple[str, str, int, str]
"""Name, plugin, load, text."""
CORE: Piece = ("core", "identity", 1, "You are it.")
STYLE: Piece = ("style", "house-rules", 7, "Short.")


def said(*pieces: Piece, tools: Sequence[tuple[str, str, int]] = (), process: int = 1) -> tuple[Any, str]:
    system = "\n\n".join(words for *_, words in pieces)
    return RequestOrigins(origins_data(*pieces, tools=tools), process), system


def origins_data(*pieces: Piece, tools: Sequence[tuple[str, str, int]] = ()) -> dict[str, Any]:
    sections, at = [], 0
    for name, plugin, load, words in pieces:
        sections.append({"name": name, "plugin": plugin, "load": load, "start": at, "length": len(words)})
        at += len(words) + 2
    offered = [{"name": name, "plugin": plugin, "load": load} for name, plugin, load in tools]
    return {"sections": sections, "tools": offered}


def style(load: int = 7, words: str = "Short.", plugin: str = "house-rules") -> Piece:
    return "style", plugin, load, words


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


def test_the_request_shows_each_part_with_its_plugin_and_the_event_that_made_it_so() -> None:
    log = Teller()
    sections = [CORE, STYLE]
    for load, words in ((7, "Short."), (8, "Long.")):
        sections[1] = style(load, words)
        _, system = said(*sections)
        log.say("go")
        log.step(
            1,
            header={"system": system, "tools": TOOLS, "config": CONFIG},
            reason=ANCHORS[0] if load == 7 else "fallback",
        )
        log.session.append(
            "request/origins", origins_data(*sections, tools=[("bash", "shell", 2), ("read", "fs", 3)])
        )
        log.answer("Fine.", hit=0, miss=900)
        log.end_step()
        log.end()
    headers = [event.seq for event in log.session.events if event.type == "request/header"]
    view = RequestBook(log.session.events, request_body).view(1)
    assert [
        (part.label, part.producer, part.seq) for part in view.parts if part.kind in ("system", "tool")
    ] == [
        ("core", "identity", headers[0]),
        ("style", "house-rules", headers[1]),
        ("bash", "shell", headers[0]),
        ("edit", "", headers[0]),
        ("read", "fs", headers[0]),
    ]
    assert view.broken is not None
    assert view.broken.words == 'plugin "house-rules" reloaded: section "style" changed'
    assert view.broken.seq == headers[1]
    body = dump_bytes(RequestBook(log.session.events, request_body).body(1))
    assert body[view.broken.byte :].startswith(b"Long.")


def test_an_opening_that_was_composed_anew_is_laid_at_its_plugins_door() -> None:
    log = Teller()
    for reason, words in (("initial", "AGENTS: one"), ("resume", "AGENTS: two")):
        source = {"kind": "plugin", "plugin": "instructions"}
        opening = {"id": "opening", "role": "user", "content": text(words), "source": source}
        log.say("go")
        log.step(1, header={"system": "You.", "config": CONFIG, "messagePrefix": [opening]}, reason=reason)
        log.answer("Fine.", hit=0, miss=900)
        log.end_step()
        log.end()
    broken = RequestBook(log.session.events, request_body).view(1).broken
    assert broken is not None
    assert (broken.where, broken.event) == ("message 2", "request/header")
    assert broken.words == 'plugin "instructions": the session\'s opening changed'
