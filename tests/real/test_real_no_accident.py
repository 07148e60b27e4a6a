"""Keys that were meant for the draft never answer an approval, whenever the question appears."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.model_server import reply
from tests.real.served_model import Gate
from tests.real.stage import Stage
from tests.real.terminal import Terminal

SENTENCE = "1 y 2 3 run it"
GAP = 0.02
"""Seconds between two keys of a quick typist."""


@dataclass(frozen=True)
class Kind:
    """A kind of dock: the call that makes it appear, what it asks, and whether its rule is opened first."""

    tool: str
    arguments: Mapping[str, str]
    asks: str
    rule: bool = False
    mode: str = "ask"


BASH = Kind("bash", {"command": "touch ran", "description": "Make a file"}, "Run a command?")
KINDS = (
    BASH,
    Kind("write", {"file_path": "ran", "content": "x\n"}, "Create a file?"),
    Kind("bash", {"command": "rm -rf kept", "description": "Remove it"}, "▲ Deletes"),
    Kind(BASH.tool, BASH.arguments, "Keep a rule for this session?", rule=True),
    Kind("exit_plan_mode", {"plan": "# Do it"}, "Carry out this plan?", mode="plan"),
)


def nothing_ran(stage: Stage) -> None:
    assert not (stage.project / "ran").exists()
    assert set(stage.decisions()) <= {"cancelled"}


def ask_late(stage: Stage, app: Terminal, prompt: str, kind: Kind = BASH) -> Gate:
    """Send a prompt whose answer waits; opening the gate makes the question appear."""
    gate = stage.model.gate()
    count = len(stage.model.requests)
    stage.model.push(reply(tool_calls=[(kind.tool, kind.arguments)], gate=gate.event))
    app.type(f"{prompt}\r")
    stage.model.wait_for_requests(count + 1)
    app.wait_for("esc stops")
    return gate


def send_what_is_queued(stage: Stage, app: Terminal, kind: Kind, number: int) -> None:
    """Stop the turn; what was typed waits in the queue, whole, and is what goes out."""
    app.wait_for("queued: 1")
    if kind.rule:
        app.press("esc")  # closes the rule
        app.wait_for(BASH.asks)
    app.press("esc")
    app.wait_gone(BASH.asks if kind.rule else kind.asks)
    app.wait_for("stopped")
    stage.model.push(f"Answer {number}.")
    app.press("ctrl+x", "r")
    app.wait_for(f"Answer {number}.", "ready")
    assert stage.model.requests[-1].body["messages"][-1]["content"].endswith(SENTENCE)


def test_a_sentence_ending_in_enter_never_approves_at_whatever_key_a_question_appears(stage: Stage) -> None:
    (stage.project / "kept").mkdir()
    typed, mode, rounds = SENTENCE + "\r", "ask", 0
    with stage.app(rows=30) as app:
        for at, kind in enumerate(KINDS):
            if kind.mode != mode:
                mode = kind.mode
                app.type(f"/mode {mode}\r")
                app.wait_for(f" {mode} deepseek")
            offsets = range(at, len(typed) + 1, len(KINDS))
            for offset in offsets[:1] if kind.rule else offsets:
                gate = ask_late(stage, app, f"round {offset}", kind)
                if kind.rule:
                    gate.open()
                    app.wait_for("enter answers")
                    app.press("2")
                    app.wait_for(kind.asks)
                    app.type(typed, gap=GAP)
                else:
                    app.type(typed[:offset], gap=GAP)
                    gate.open()
                    app.type(typed[offset:], gap=GAP)
                    app.wait_for(kind.asks)
                send_what_is_queued(stage, app, kind, offset)
                nothing_ran(stage)
                rounds += 1
    assert (stage.project / "kept").exists()
    assert stage.decisions() == ["cancelled"] * rounds
    assert not stage.facts("permission/rule")
    stage.model.assert_all_accepted()


def test_a_pasted_script_while_the_question_appears_never_approves(stage: Stage) -> None:
    with stage.app(rows=30) as app:
        gate = ask_late(stage, app, "round one")
        gate.open()
        app.paste("1\ny\n2\n1\n\n3\n1\nf\n")
        app.wait_for("Run a command?", "F8 review")
        app.press("ctrl+c")
        app.wait_for("stopped")
        nothing_ran(stage)


def test_a_paste_into_the_armed_dock_goes_to_the_draft(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=[(BASH.tool, BASH.arguments)]))
    with stage.app(rows=30) as app:
        app.type("go\r")
        app.wait_for("enter answers")
        app.paste("1\r")
        app.wait_for("F8 review")
        app.press("esc")
        app.wait_for("stopped")
        nothing_ran(stage)


def test_a_paste_with_escape_bytes_into_the_armed_dock_is_text_and_presses_no_key(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=[(BASH.tool, BASH.arguments)]))
    with stage.app(rows=30) as app:
        app.type("go\r")
        app.wait_for("enter answers")
        app.paste("a\x1b[31mb\x1b")
        app.wait_for("│ ab ", "F8 review")
        app.paste("\x1b1\x07y\x1b[19~")
        app.wait_for("│ ab1y")
        app.press("ctrl+c")
        app.wait_for("stopped")
        nothing_ran(stage)


def test_space_and_enter_and_letters_that_are_no_answers_never_approve(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=[(BASH.tool, BASH.arguments)]))
    with stage.app(rows=30) as app:
        app.type("go\r")
        app.wait_for("enter answers")
        app.press("space")
        app.press("enter")
        app.type("please", gap=GAP)
        app.wait_for("│ please", "F8 review")
        app.press("enter")
        app.wait_for("queued: 1")
        app.wait_for("enter answers")
        app.press("right")
        app.press("space")
        app.press("esc")
        app.wait_for("stopped")
        nothing_ran(stage)


def test_an_answer_pressed_before_the_dock_is_armed_goes_to_the_draft(stage: Stage) -> None:
    with stage.app(rows=30) as app:
        gate = ask_late(stage, app, "go")
        app.type("x")
        gate.open()
        app.wait_for("Run a command?", "F8 review")
        app.press("f8")
        app.press("1")
        app.wait_for("│ x1")
        app.press("ctrl+c")
        app.wait_for("stopped")
        nothing_ran(stage)
