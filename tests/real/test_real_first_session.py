"""The first coding session, as a person has it: ask, approve, deny with a word, leave, come back."""

from __future__ import annotations

from tests.fakes.model_server import reply
from tests.real.stage import Stage

COMMAND = "printf 'line %s\\n' one two three && printf done > made-by-tool.txt"


def test_a_first_session_asks_shows_runs_and_obeys_and_continues_where_it_was_left(stage: Stage) -> None:
    notes = stage.project / "notes.txt"
    notes.write_text("alpha\nbeta\n")
    gate = stage.model.gate()
    stage.model.push(
        reply("Let me look.", thinking="Where to begin?", tool_calls=[("read", {"file_path": "notes.txt"})]),
        reply(
            "I will run it.",
            thinking="Running.",
            tool_calls=[("bash", {"command": COMMAND, "description": "Print lines"})],
            gate=gate.event,
        ),
        reply(
            thinking="Now the edit.",
            tool_calls=[("edit", {"file_path": "notes.txt", "old_string": "beta", "new_string": "GAMMA"})],
        ),
        reply("Understood, I leave beta alone.", thinking="The user said no."),
    )
    with stage.app() as app:
        app.type("tidy the notes\r")
        app.wait_for("tidy the notes", "Let me look.")
        gate.open()
        app.wait_for("Run a command?", "printf 'line %s\\n' one two three && printf done > made-by-tool.txt")
        assert not (stage.project / "made-by-tool.txt").exists()
        app.wait_for("enter answers")  # armed: nothing was typed for a while
        app.press("1")
        app.wait_for("Change a file?", "notes.txt", "beta", "GAMMA")
        assert (stage.project / "made-by-tool.txt").read_text() == "done"
        app.wait_for("✓ Run")
        app.wait_for("enter answers")
        app.press("5")
        app.wait_for("enter denies and tells the model")
        app.type("keep beta, it is load-bearing\r")
        app.wait_for("Understood, I leave beta alone.", "✓ done", "cache 0 % ▸ ╭", "ready")
        assert notes.read_text() == "alpha\nbeta\n"
        assert "keep beta, it is load-bearing" in stage.model.said()
        transcript = app.lines
        app.type("/quit\r")
        assert app.wait_exit() == 0
        app.assert_restored()
        assert "Resume: dsh-tui --resume " in app.after_app

    assert stage.decisions() == ["allowed-once", "rejected"]
    assert stage.ends() == ["completed"]

    stage.model.push("Back again.")
    with stage.app("-c") as app:
        app.wait_until(lambda: app.lines[1:18] == transcript[1:18], "the same transcript")
        app.type("and now?\r")
        app.wait_for("Back again.")
        app.press("ctrl+d", "ctrl+d")
        assert app.wait_exit() == 0
    before, after = stage.model.requests[3].body["messages"], stage.model.requests[4].body["messages"]
    assert after[: len(before)] == before  # the whole history, word for word
    assert after[len(before) :] == [
        {
            "role": "assistant",
            "content": "Understood, I leave beta alone.",
            "reasoning_content": "The user said no.",
        },
        {"role": "user", "content": "and now?"},
    ]
    assert stage.ends() == ["completed", "completed"]
    stage.model.assert_all_accepted()
