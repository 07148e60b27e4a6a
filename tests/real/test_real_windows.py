"""No terminal, a tiny one, one that changes its size all the time."""

from __future__ import annotations

import itertools
import time

from dsh_tui.widgets.arming import ARM_QUIET
from tests.fakes.model_server import reply
from tests.real.stage import DSH_TUI, Stage
from tests.real.terminal import Terminal

SIZES = [(80, 24), (20, 6), (1, 1), (3, 3), (200, 60), (79, 24), (40, 12), (80, 24)]
TEXT = (
    "# 标题 Title\n\n"
    "A paragraph with **bold** words and 中文字符 that is long enough to wrap over several rows.\n\n"
    "| name | 值 |\n| --- | --- |\n| one | 一 |\n| two | 二 |\n\n"
    "```python\ndef f(x: int) -> int:\n    return x\n```\n\n"
    "- a point\n- another point\n\nThe end of it."
)


def test_without_a_terminal_it_refuses_in_one_line_and_names_exec(stage: Stage) -> None:
    done = stage.run()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "dsh-tui exec" in done.stderr


def test_a_dumb_terminal_is_refused_in_one_line(stage: Stage) -> None:
    with stage.app(env={"TERM": "dumb"}, ready="") as app:
        assert app.wait_exit() == 2
        assert "dsh-tui exec" in app.text
        assert "\x1b" not in app.raw.decode()


def test_a_tiny_window_shows_answers_and_lets_nothing_be_approved_that_cannot_be_read(stage: Stage) -> None:
    stage.model.push(
        "Tiny answer.", reply(tool_calls=[("bash", {"command": "touch ran", "description": "x"})])
    )
    with stage.app(columns=20, rows=5) as app:
        app.type("hello\r")
        app.wait_for("✓ done")
        app.type("make it\r")
        app.wait_for("Enlarge the")
        app.press("f8")
        time.sleep(2 * ARM_QUIET)  # longer than arming takes where it can be read
        app.press("1")
        app.wait_for("█ 1")
        assert stage.decisions() == []
        stage.model.push("It is made.")
        app.resize(80, 24)
        app.wait_for("Run a command?", "touch ran", "F8 review", "│ 1 ")
        app.press("f8")
        app.wait_for("enter answers")
        app.press("1")
        app.wait_for("It is made.", "│ 1 ")
        assert (stage.project / "ran").exists()
    assert stage.decisions() == ["allowed-once"]


def transcript(app: Terminal) -> list[str]:
    """The rows of the conversation."""
    return [line for line in app.lines[2:] if line and not line.startswith(("╭", "│", "╰", " ask"))]


def test_a_storm_of_sizes_while_an_answer_streams_ends_in_the_same_screen_as_a_fresh_start(
    stage: Stage,
) -> None:
    gate = stage.model.gate()
    pieces = len(TEXT) // 4
    stage.model.push(reply(TEXT, gate=gate.event, gate_after=pieces // 2))
    with stage.app() as app:
        app.type("show me\r")
        app.wait_for("A paragraph with bold words")
        app.type("kept draft")
        app.wait_for("│ kept draft")
        for size in itertools.chain(SIZES, SIZES):
            app.resize(*size)
        gate.open()
        for size in SIZES:
            app.resize(*size)
        app.wait_for("The end of it.", "✓ done", "cache 0 % ▸ ╭", "│ kept draft", "ready")
        after_the_storm = transcript(app)
        app.press("ctrl+c")
        app.wait_gone("│ kept draft")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()
    with stage.app("-c") as app:
        app.wait_until(lambda: transcript(app) == after_the_storm, f"the same rows: {after_the_storm}")
    assert stage.ends() == ["completed"]


def test_a_storm_of_sizes_while_an_approval_waits_answers_nothing_and_keeps_it(stage: Stage) -> None:
    stage.model.push(
        reply(tool_calls=[("bash", {"command": "touch ran", "description": "x"})]), "It is made."
    )
    with stage.app() as app:
        app.type("make it\r")
        app.wait_for("enter answers")
        for size in itertools.chain(SIZES, SIZES):
            app.resize(*size)
        app.wait_for("Run a command?", "touch ran")
        assert stage.decisions() == []
        app.wait_for("enter answers")
        app.press("1")
        app.wait_for("It is made.", "ready")
    assert stage.decisions() == ["allowed-once"]


def test_an_unknown_session_is_one_line_before_any_screen(stage: Stage) -> None:
    with Terminal([str(DSH_TUI), "--resume", "session-nosuch"], env=stage.env, cwd=stage.project) as app:
        assert app.wait_exit() == 1
        assert "no session session-nosuch; see `dsh-tui sessions list`" in app.words
        assert b"\x1b[?1049h" not in app.raw
