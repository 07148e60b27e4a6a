"""A terminal that stops taking text: the agent works on, a signal ends it, and a thaw shows all."""

from __future__ import annotations

import signal

from tests.fakes.model_server import reply
from tests.fakes.until import until_then
from tests.real.stage import Stage

SCREENFULS = "a line that is as long as the window is wide, more or less, and then some\n\n" * 400
"""More than any terminal keeps for a program that it does not draw."""


def finished(stage: Stage) -> bool:
    """Whether the turn's end is on the disk."""
    return b'"turn/end"' in stage.log().read_bytes()


def test_a_turn_goes_on_to_its_end_while_the_terminal_is_frozen_and_a_thaw_shows_it(stage: Stage) -> None:
    stage.model.push(reply(f"{SCREENFULS}the very end", rate=4_000))
    with stage.app() as app:
        app.type("tell\r")
        app.wait_for("a line that is")
        app.freeze()
        until_then(lambda: finished(stage), "the turn ended")
        app.thaw()
        app.wait_for("the very end", "ready")
        app.type("a draft")
        app.wait_for("│ a draft ")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()
    assert stage.ends() == ["completed"]


def test_a_signal_ends_the_app_in_order_though_its_terminal_is_frozen(stage: Stage) -> None:
    stage.model.push(reply(f"{SCREENFULS * 20}", rate=8_000))
    with stage.app() as app:
        app.type("tell\r")
        app.wait_for("a line that is")
        app.freeze()
        size = len(stage.log().read_bytes())
        until_then(lambda: len(stage.log().read_bytes()) > size + 10_000, "the answer is logged all the same")
        app.signal(signal.SIGTERM)
        assert app.wait_exit() == 128 + signal.SIGTERM
    assert stage.ends() == ["disposed"]
    assert not stage.log().with_name("session.lock.json").exists()
