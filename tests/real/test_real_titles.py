"""Titles by the model, in the program as it is: one small request after the first turn, never `exec`'s."""

from __future__ import annotations

import json

import pytest

from tests.fakes.model_server import reply, status
from tests.fakes.until import until_then
from tests.real.stage import Stage


@pytest.fixture
def titled(stage: Stage) -> Stage:
    """As it is out of the box: without settings."""
    (stage.home / "settings.yaml").unlink()
    return stage


def titles(stage: Stage) -> list[tuple[str, str]]:
    return [(data["title"], data["source"]) for data in stage.facts("session/title")]


def test_the_app_asks_once_and_shows_the_title_where_sessions_are_listed(titled: Stage) -> None:
    titled.model.push("The clock was real.", "Flaky lease test", "Gladly.")
    with titled.app() as app:
        app.type("fix the flaky test in the lease code please\r")
        app.wait_for("The clock was real.", "✓ done", "Flaky lease test")
        app.type("thanks\r")
        app.wait_for("Gladly.")
        app.press("ctrl+d", "ctrl+d")
        assert app.wait_exit() == 0
    assert titles(titled) == [("fix the flaky test in", "fallback"), ("Flaky lease test", "model")]
    talk, title, more = (request.body for request in titled.model.requests)
    assert (title["model"], title["thinking"]) == (talk["model"], {"type": "disabled"})
    assert title["max_tokens"] == 64
    assert "tools" not in title
    assert [message["role"] for message in title["messages"]] == ["system", "user"]
    assert more["messages"][: len(talk["messages"])] == talk["messages"]
    titled.model.assert_all_accepted()

    session_id = json.loads(titled.run("sessions", "list", "--json").stdout)[0]["id"]
    raw = titled.run("sessions", "requests", session_id, "--raw").stdout.encode().splitlines()
    assert raw == [titled.model.requests[0].raw, titled.model.requests[2].raw]
    everything = titled.run("sessions", "requests", session_id, "--raw", "--all").stdout.encode().splitlines()
    assert everything == [request.raw for request in titled.model.requests]


def test_leaving_while_a_title_is_written_does_not_wait_for_it(titled: Stage) -> None:
    titled.model.push("Fine.", reply("Too late", gate=titled.model.gate().event))
    with titled.app() as app:
        app.type("hello there\r")
        app.wait_for("Fine.", "✓ done")
        titled.model.wait_for_requests(2)
        app.press("ctrl+d", "ctrl+d")
        assert app.wait_exit() == 0
        app.assert_restored()
    titled.model.wait_for_disconnects()
    assert titles(titled) == [("hello there", "fallback")]
    assert titled.ends() == ["completed", "completed"]  # the request for a title has a turn of its own


def test_a_title_that_cannot_be_had_is_nobodys_trouble(titled: Stage) -> None:
    titled.model.push("Fine.", status(500), "Still here.")
    with titled.app() as app:
        app.type("hello there\r")
        app.wait_for("Fine.", "✓ done")
        titled.model.wait_for_requests(2)
        app.type("again\r")
        app.wait_for("Still here.", "ready")
        assert "500" not in app.text
        app.press("ctrl+d", "ctrl+d")
        assert app.wait_exit() == 0
    assert len(titled.model.requests) == 3
    assert titled.ends() == ["completed"] * 3
    logs = titled.home / "logs"
    assert "title" not in "".join(path.read_text() for path in logs.glob("*") if path.is_file())


def test_words_are_enough_where_the_settings_say_so_and_for_exec(titled: Stage) -> None:
    titled.model.push("Fine.", "Fine too.")
    assert titled.exec("hello from a script").returncode == 0
    titled.settings("", titles="words")
    with titled.app() as app:
        app.type("hello there\r")
        app.wait_for("Fine too.", "✓ done", "ready")
        app.press("ctrl+d", "ctrl+d")
        assert app.wait_exit() == 0
    until_then(lambda: len(titled.logs()) == 2, "two logs")
    assert len(titled.model.requests) == 2
