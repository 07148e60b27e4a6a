from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.engine.projection.moment_words import KNOWN, moment_words
from dsh_tui.engine.session.core_types import CORE_TAGS
from dsh_tui.engine.session.event import Event
from tests.fakes.history_log import history


def test_every_event_of_a_session_has_words() -> None:
    told = [moment_words(event, 1)[1] for event in history()]
    assert all(told)
    assert "Turn 1" in told
    assert "Run pytest tests/test_retry.py -q" in told
    assert "plan 2/3" in told
    assert "allowed-once by user" in told
    assert "header changed: config" in told
    assert "turn 6 interrupted" in told


def test_every_event_of_the_core_has_words_of_its_own() -> None:
    told = {event.type: moment_words(event, 1)[1] for event in history()}
    assert not [tag for tag, words in told.items() if words == tag]
    assert sorted(CORE_TAGS - {"assistant/chunk"}) == sorted(KNOWN)


@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        ({"type": "block-start", "index": 0, "blockType": "reasoning"}, "thinking begins"),
        ({"type": "block-end", "index": 0, "block": {"type": "tool-call"}}, "a call ends"),
        (
            {"type": "usage", "usage": {"inputTokens": 200, "cacheReadTokens": 1_000, "outputTokens": 3}},
            "1,200 tokens in, 3 out",
        ),
        ({"type": "finish", "reason": {"kind": "stop"}}, "the stream is over: stop"),
    ],
)
def test_the_pieces_of_a_stream_have_words(chunk: dict[str, Any], words: str) -> None:
    assert moment_words(Event("assistant/chunk", 0, 0, {"chunk": chunk}))[1] == words


def test_requests_beside_the_conversation_say_what_for() -> None:
    usage = {"inputTokens": 200, "outputTokens": 3}
    route = {"provider": "deepseek", "model": "deepseek-flash"}
    told = [
        moment_words(Event("request/one-shot", 0, 0, {"purpose": "session-title"})),
        moment_words(Event("request/usage", 0, 0, {"purpose": "compaction", "usage": usage, **route})),
        moment_words(Event("request/context", 0, 0, {**route, "contextWindow": 1_000_000})),
    ]
    assert [words for _, words, _ in told] == [
        "asks for the title",
        "200 tokens in, 3 out, for the summary",
        "goes to deepseek/deepseek-flash, 1,000,000 tokens of context",
    ]


def test_an_unknown_type_gives_its_name_and_a_strange_shape_does_no_harm() -> None:
    assert moment_words(Event("plugin/thing", 0, 0, {"x": 1})) == ("·", "plugin/thing", "quiet")
    assert moment_words(Event("tool/call", 0, 0, {})) == ("·", "tool/call", "quiet")
    assert moment_words(Event("todo/write", 0, 0, {"todos": [1]})) == ("·", "todo/write", "quiet")
