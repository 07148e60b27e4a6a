"""What models and tools write never drives the terminal: looked at in the bytes themselves."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import reply
from tests.real.stage import DSH_TUI, Stage
from tests.real.terminal import Terminal

PAYLOADS = [
    "\x1b[31mRed\x1b[0m",
    "a\x1b]0;owned\x07b",
    "a\x1b]2;t\x1b\\b",
    "a\x1b]2;owned\x07b",
    "\x1b]8;;https://h.invalid\x1b\\link\x1b]8;;\x1b\\",
    "x\x1b]52;c;ZXZpbA==\x07y",
    "p\x1bP+q544e\x1b\\q",
    "\x1b[2J\x1b[H\x1b[?1049hfull",
    "\x1b[6n\x1b[c ask",
    "\x1bcreset",
    "k\x1b(0lqk\x1b(B",
    "\x9b31mC1\x9b0m",
    "a\x9d0;t\x9cb",
    "tail \x1b[31",
    "one \x1b]0;unfinished\nnext line",
    "10%\r20%\r100%\n",
    "abc\b\b\bxyz",
    "bell\x07",
    "\x0eshifted\x0f",
    "‮evil‬",
]
ALLOWED = re.compile(
    rb"\x1b\[[0-9;:]*m"  # colours
    rb"|\x1b\[\d+;\d+H|\x1b\[H"  # the cursor goes to a place
    rb"|\x1b\[\?(?:1000|1003|1004|1006|1015|1049|2004|2026|2048|25|7)(?:;\d+)*[hl]"  # the app's own modes
    rb"|\x1b\[\?20(?:26|48)\$p|\x1b\[>\d+u|\x1b\[<u"  # what it asks the terminal
    rb"|\x1b\[[0-2]?K|\x1b\[[0-2]?J"
    rb"|\x1b\]22;[a-z-]*\x07"  # the pointer's shape
    rb"|\x1b\[2[23];2t|\x1b\]2;(?:(?!\xc2[\x80-\x9f])[^\x00-\x1f\x7f])*\x07"  # the window's title
)
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")


def assert_harmless(raw: bytes) -> None:
    """Only sequences of the app's own; no other control byte."""
    left = ALLOWED.sub(b"", raw)
    found = [left[max(0, match.start() - 30) : match.end() + 30] for match in CONTROL.finditer(left)]
    assert not found, found[:5]
    assert b"\x1b]2;owned" not in raw
    assert raw.count(b"\x1b[2J") == 0
    assert raw.count(b"\x1b[?1049h") == 1


def wait_answered(app: Terminal, number: int) -> None:
    app.wait_for(f"End {number}.", "ready")


def test_no_sequence_of_an_answer_a_thought_a_call_or_an_output_reaches_the_terminal(stage: Stage) -> None:
    everything = "\n\n".join(PAYLOADS)
    (stage.project / "payload.txt").write_text(everything, newline="")
    fenced = f"```sh\n{everything}\n```\n\n| a | b |\n|---|---|\n| {PAYLOADS[0]} | {PAYLOADS[1]} |\n"
    stage.model.push(
        reply(f"{everything}\n\nEnd 1.", thinking=f"{PAYLOADS[1]} {everything}"),
        reply(f"{fenced}\nEnd 2."),
        reply(tool_calls=[("read", {"file_path": "payload.txt"}), ("greet", {"x": everything})]),
        "End 3.",
        reply(
            tool_calls=[
                ("bash", {"command": f"cat payload.txt; exit 3 # {everything}", "description": everything})
            ]
        ),
        "End 4.",
    )
    with stage.app(columns=120, rows=50) as app:
        for number in (1, 2, 3):
            app.type(f"round {number}\r")
            wait_answered(app, number)
        app.type("round 4\r")
        app.wait_for("enter answers")
        app.press("f")
        app.wait_gone("enter answers")
        app.press("esc")
        app.wait_for("Run a command?")
        app.press("f8")
        app.wait_for("keys take effect in a moment")
        app.wait_for("enter answers")
        app.press("1")
        wait_answered(app, 4)
        app.press("ctrl+o")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        assert_harmless(app.raw.rpartition(b"\x1b[?1049l")[0])
    stage.model.assert_all_accepted()
    with stage.app("-c", columns=120, rows=50) as app:
        app.wait_for("End 4.")
        app.press("tab", "g")
        app.wait_for("round 1")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        assert_harmless(app.raw.rpartition(b"\x1b[?1049l")[0])


def test_pasted_and_stored_sequences_reach_it_neither(stage: Stage) -> None:
    with stage.app(columns=100) as app:
        app.paste("title \x1b]0;owned\x07 and \x1b[31mred\r\nsecond \x9b31m line")
        app.wait_for("second")
        app.press("enter")
        app.wait_for("Ok.", "ready")
        app.press("ctrl+x", "l")
        app.wait_for("title")
        app.press("esc")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        assert_harmless(app.raw.rpartition(b"\x1b[?1049l")[0])


def test_exec_makes_an_answer_harmless_on_a_terminal_and_leaves_it_as_it_is_in_a_pipe(stage: Stage) -> None:
    answer = " ".join(PAYLOADS)
    stage.model.push(answer, answer)
    with Terminal([str(DSH_TUI), "exec", "hi"], env=stage.env, cwd=stage.project) as terminal:
        assert terminal.wait_exit() == 0
        assert b"\x1b" not in terminal.raw
        assert "Red" in terminal.text
    piped = subprocess.run(
        [DSH_TUI, "exec", "hi"],
        env=stage.env,
        cwd=stage.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert piped.stdout.decode() == answer + "\n"


def shared_payloads() -> list[Any]:  # Any: JSON of the cases
    path = Path(__file__).resolve().parents[2] / "../shared/cases/tui/s02-escape-payloads.json"
    return json.loads(path.read_text())["rows"] if path.exists() else []


@pytest.mark.skipif(not shared_payloads(), reason="the shared cases are not here")
def test_the_shared_payloads_leave_their_text_and_nothing_else(stage: Stage) -> None:
    rows = shared_payloads()
    stage.model.push(*[reply(f"⟦{row['in']}⟧\n\nEnd {at}.") for at, row in enumerate(rows, 1)])
    with stage.app(columns=100, rows=30) as app:
        for at, row in enumerate(rows, 1):
            app.type(f"case {at}\r")
            wait_answered(app, at)
            seen = app.words.replace("␛", "")
            for words in row.get("visible_contains") or [row.get("visible", "")]:
                assert " ".join(words.split()) in seen, (at, row, seen)
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        assert_harmless(app.raw.rpartition(b"\x1b[?1049l")[0])
