"""SIGTERM, SIGHUP and a vanished terminal in mid-turn: the log says so, nothing is left behind."""

from __future__ import annotations

import os
import signal

import pytest

from tests.fakes.model_server import reply, stall
from tests.fakes.until import until_then
from tests.real.stage import DSH_TUI, Stage
from tests.real.terminal import Terminal
from tests.real.test_real_esc import alive, approve, heartbeat


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_in_mid_stream_ends_the_turn_in_the_log_and_restores_the_terminal(
    stage: Stage, number: signal.Signals
) -> None:
    stage.model.push(stall("Once upon a time"))
    with stage.app() as app:
        app.type("tell a story\r")
        app.wait_for("Once upon a time")
        app.signal(number)
        assert app.wait_exit() == 128 + number
        app.assert_restored()
        assert "Resume: dsh-tui --resume " in app.after_app
    assert stage.ends() == ["disposed"]
    assert stage.facts("assistant/message")[-1]["content"][0]["text"] == "Once upon a time"


def test_sigterm_while_a_command_runs_leaves_none_of_its_processes(stage: Stage) -> None:
    arguments, beat, pids = heartbeat(stage)
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    with stage.app() as app:
        app.type("start it\r")
        approve(app)
        until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
        app.signal(signal.SIGTERM)
        assert app.wait_exit() == 128 + signal.SIGTERM
        assert not alive(pids)
        app.assert_restored()
    assert stage.ends() == ["disposed"]
    assert len(stage.facts("tool/result")) == 1


def test_sigterm_while_an_approval_waits_runs_nothing(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=[("bash", {"command": "touch ran", "description": "Make a file"})]))
    with stage.app() as app:
        app.type("make it\r")
        app.wait_for("Run a command?")
        app.signal(signal.SIGTERM)
        assert app.wait_exit() == 128 + signal.SIGTERM
        app.assert_restored()
    assert stage.ends() == ["disposed"]
    assert stage.decisions() == ["cancelled"]
    assert not (stage.project / "ran").exists()


def test_a_terminal_that_goes_away_in_mid_turn_ends_the_app_in_order(stage: Stage) -> None:
    arguments, beat, pids = heartbeat(stage)
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    with stage.app() as app:
        app.type("start it\r")
        approve(app)
        until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
        app.hang_up()
        app.wait_exit()
        assert not alive(pids)
    assert stage.ends() == ["disposed"]
    stage.model.push("Back.")
    with stage.app("-c") as app:
        app.wait_for("The session was closed while this turn ran.")
        app.type("again\r")
        app.wait_for("Back.", "ready")
    stage.model.assert_all_accepted()


def test_a_window_that_closes_while_an_answer_streams_ends_the_app(stage: Stage) -> None:
    stage.model.push(reply("word " * 40_000, rate=4_000))
    with stage.app() as app:
        app.type("talk\r")
        app.wait_for("word word", "running")
        app.hang_up()
        app.wait_exit()
    assert stage.ends() == ["disposed"]


def test_ctrl_c_twice_while_a_command_runs_quits_and_leaves_nothing(stage: Stage) -> None:
    arguments, beat, pids = heartbeat(stage)
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    with stage.app() as app:
        app.type("start it\r")
        approve(app)
        until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
        app.press("ctrl+c", "ctrl+c")
        assert app.wait_exit(timeout=5) == 0
        assert not alive(pids)
        app.assert_restored()
    assert stage.ends() in (["aborted"], ["disposed"])


def test_an_app_that_was_stopped_and_continued_types_on_and_leaves_the_terminal_as_it_was(
    stage: Stage,
) -> None:
    with stage.app() as app:
        app.type("one\r")
        app.wait_for("Ok.", "ready")
        entered = app.raw.count(b"\x1b[?1049h")
        app.signal(signal.SIGSTOP)
        app.signal(signal.SIGCONT)
        app.wait_until(lambda: app.raw.count(b"\x1b[?1049h") > entered, "the terminal is taken again")
        taken = app.raw.rindex(b"\x1b[?1049h")
        app.wait_until(lambda: b"Ok." in app.raw[taken:], "all is drawn anew")
        app.type("a draft")
        app.wait_for("│ a draft ")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()


def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_brings_all_of_it_back(stage: Stage) -> None:
    shell = Terminal(
        ["bash", "--norc", "--noprofile", "-i"], env={**stage.env, "PS1": "shell> "}, cwd=stage.project
    )
    with shell:
        shell.wait_for("shell>")
        shell.type(f"{DSH_TUI}\r")
        shell.wait_for("Ask about this project", "ready")
        shell.type("a draft")
        shell.wait_for("│ a draft ")
        shell.press("ctrl+z")
        shell.wait_for("fg brings it back", "Stopped", "shell>")
        shell.type("echo $((40 + 2))\r")  # typed text is echoed: the terminal is as the shell wants it
        shell.wait_for("echo $((40", " 42 ")
        shell.type("fg\r")
        shell.wait_for("dsh-tui 0", "│ a draft ", "ready")
        shell.press("ctrl+q")
        shell.wait_for("shell>")


def test_ctrl_z_in_the_editor_leaves_it_the_terminal_when_fg_brings_both_back(stage: Stage) -> None:
    editor = stage.project / "editor"
    editor.write_text('#!/bin/sh\necho editor $((20 + 3))\nread line\necho "edited $line" > "$1"\n')
    editor.chmod(0o700)
    env = {**stage.env, "PS1": "shell> ", "VISUAL": str(editor)}
    with Terminal(["bash", "--norc", "--noprofile", "-i"], env=env, cwd=stage.project) as shell:
        shell.wait_for("shell>")
        shell.type(f"{DSH_TUI}\r")
        shell.wait_for("Ask about this project", "ready")
        shell.press("ctrl+g")
        shell.wait_for("editor 23")
        taken = shell.raw.count(b"\x1b[?1049h")
        shell.press("ctrl+z")
        shell.wait_for("Stopped", "shell>")
        named = shell.raw.count(os.fsencode(DSH_TUI))
        shell.type("fg\r")
        shell.wait_until(lambda: shell.raw.count(os.fsencode(DSH_TUI)) > named, "the job goes on")
        shell.type("by hand\r")
        shell.wait_for("│ edited by hand ")
        assert shell.raw.count(b"\x1b[?1049h") == taken + 1
        shell.press("ctrl+q")
        shell.wait_for("shell>")


def test_ctrl_z_without_a_shell_stops_nothing_and_says_so(stage: Stage) -> None:
    with stage.app() as app:
        app.press("ctrl+z")
        app.wait_for("No shell here to go back to", "ready")
        app.type("a draft")
        app.wait_for("│ a draft ")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()


def test_a_signal_before_the_engine_stands_restores_the_terminal_too(stage: Stage) -> None:
    with stage.app(ready="starting…") as app:
        app.signal(signal.SIGTERM)
        assert app.wait_exit() == 128 + signal.SIGTERM
        app.assert_restored()
        assert "Traceback" not in app.after_app
