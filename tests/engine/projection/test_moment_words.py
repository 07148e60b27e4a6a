from __future__ import annotations

from dsh_tui.engine.projection.moment_words import moment_words
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


def test_an_unknown_type_gives_its_name_and_a_strange_shape_does_no_harm() -> None:
    assert moment_words(Event("plugin/thing", 0, 0, {"x": 1})) == ("·", "plugin/thing", "quiet")
    assert moment_words(Event("tool/call", 0, 0, {})) == ("·", "tool/call", "quiet")
    assert moment_words(Event("todo/write", 0, 0, {"todos": [1]})) == ("·", "todo/write", "quiet")
