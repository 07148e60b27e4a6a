"""Looking back in a real terminal at a session that a real process wrote."""

from __future__ import annotations

from tests.real.stage import Stage


def test_requests_timeline_and_fork_of_a_live_session(stage: Stage) -> None:
    stage.lease()
    stage.model.push("The first answer.", "The second answer.")
    with stage.app() as app:
        app.type("one\r")
        app.wait_for("The first answer.", "ready")
        app.type("two\r")
        app.wait_for("The second answer.", "ready")
        app.press("ctrl+x")
        app.type("i")
        app.wait_for("Turn 2 step 1", "Prefix unchanged: provider side.", "2 steps")
        app.press("esc")
        app.wait_for("ready")
        app.press("ctrl+x")
        app.type("g")
        app.wait_for("turn 2 of 2", "f forks at the end of turn 2, right here")
        app.press("left")
        app.wait_for("f forks at the end of turn 1, 1 event back")
        app.type("f")
        app.wait_for("The first answer.", "ready")
        app.wait_gone("The second answer.")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
