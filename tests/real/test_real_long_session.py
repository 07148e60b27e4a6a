"""A session of 2,000 turns opens, is read, is typed into and goes on."""

from __future__ import annotations

import pytest

from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import log_path
from tests.fakes.session_logs import bare_session, whole_turn
from tests.real.stage import Stage

TURNS = 2_000


@pytest.fixture
def long_session(stage: Stage) -> str:
    """Writes it; its id."""
    session = bare_session("long", cwd=str(stage.project))
    for number in range(1, TURNS + 1):
        words = f"Answer {number}. " + "Some **words** of `code` and more words to fill two rows. " * 3
        whole_turn(
            session, f"Question {number}?", words, *(words[at : at + 6] for at in range(0, len(words), 6))
        )
    path = log_path(stage.home / "sessions", str(stage.project), session.id)
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_header(session.header) + encode_rows(session.events.rows()))
    return session.id


def test_a_session_of_2000_turns_opens_scrolls_types_and_goes_on(stage: Stage, long_session: str) -> None:
    stage.model.push("And the newest answer.")
    with stage.app("--resume", long_session) as app:
        app.wait_for(f"Answer {TURNS}.")
        app.type("a draft")
        app.wait_for("│ a draft")
        app.press("pageup", "pageup")
        app.wait_for(f"Question {TURNS - 4}?")
        app.wait_gone(f"Answer {TURNS}.")
        app.type(" goes on\r")
        app.wait_for("And the newest answer.", "ready")
        app.press("ctrl+x")
        app.wait_for("l sessions")
        app.press("v")
        app.wait_gone("l sessions")
        app.press("g")
        app.wait_for("Question 1?", "Answer 1.")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    messages = stage.model.requests[-1].body["messages"]
    assert sum(message["role"] == "assistant" for message in messages) == TURNS
    assert "a draft goes on" in [message["content"] for message in messages[-3:]]
    stage.model.assert_all_accepted()
    assert len(stage.ends()) == TURNS + 1
