"""`kill -9` at the worst moments: the session opens again, says what was cut, and goes on."""

from __future__ import annotations

import signal

from tests.fakes.model_server import reply, stall
from tests.fakes.until import until_then
from tests.real.stage import Stage
from tests.real.terminal import Terminal
from tests.real.test_real_esc import alive, approve, heartbeat


def killed(app: Terminal) -> None:
    app.signal(signal.SIGKILL)
    assert app.wait_exit() == -signal.SIGKILL


def streamed(stage: Stage) -> str:
    """All text that has streamed into the log so far."""
    return "".join(data["chunk"].get("text", "") for data in stage.facts("assistant/chunk"))


def test_a_session_killed_in_mid_stream_keeps_the_half_answer_and_goes_on(stage: Stage) -> None:
    stage.lease()
    stage.model.push("A whole answer.", stall("The first half of"))
    with stage.app() as app:
        app.type("one\r")
        app.wait_for("A whole answer.", "ready")
        app.type("two\r")
        app.wait_for("The first half of")
        until_then(lambda: "half of" in streamed(stage), "the half answer in the log")
        killed(app)
    stage.model.push("Still here.")
    with stage.app("-c") as app:
        app.wait_for("A whole answer.", "The first half of", "The program ended before this turn did.")
        app.type("three\r")
        app.wait_for("Still here.", "ready")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    assert stage.ends() == ["completed", "interrupted", "completed"]
    stage.model.assert_all_accepted()
    assert "one" in stage.model.said()
    assert "two" in stage.model.said()


def test_a_session_killed_in_a_command_tells_that_its_outcome_is_unknown(stage: Stage) -> None:
    stage.lease()
    arguments, beat, pids = heartbeat(stage)
    stage.model.push(reply("On it.", tool_calls=[("bash", arguments)]))
    with stage.app() as app:
        app.type("start it\r")
        approve(app)
        until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
        until_then(lambda: "approval/decided" in stage.log().read_text(), "the decision in the log")
        killed(app)
    until_then(lambda: not alive(pids), "the command ended with the program")
    stage.model.push("I will check first.")
    with stage.app("-c") as app:
        app.wait_for("The program ended before this turn did.", "check before you repeat it")
        app.type("go on\r")
        app.wait_for("I will check first.", "ready")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    assert "outcome is unknown" in stage.model.said()
    stage.model.assert_all_accepted()
    assert stage.ends() == ["interrupted", "completed"]


def test_exec_killed_in_mid_stream_is_resumed_by_exec(stage: Stage) -> None:
    stage.lease()
    stage.model.push(stall("half"))
    process = stage.start_exec("first")
    stage.model.wait_for_requests(1)
    until_then(lambda: stage.logs() and "half" in streamed(stage), "the half answer in the log")
    process.kill()
    process.communicate()
    stage.wait_until_free()  # nobody asks whether its process still lives
    stage.model.push("whole")
    session_id = stage.log().parent.name
    done = stage.exec("--resume", session_id, "second")
    assert (done.returncode, done.stdout) == (0, "whole\n")
    assert stage.ends() == ["interrupted", "completed"]
    stage.model.assert_all_accepted()
