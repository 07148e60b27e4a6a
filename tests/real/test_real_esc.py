"""Esc stops at once, whatever runs; the next prompt works and nothing that was typed is lost."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from tests.fakes.model_server import hold, reply, stall, status
from tests.fakes.until import until_then
from tests.real.stage import Stage
from tests.real.terminal import Terminal

GRACE = 3.0
"""Seconds that a command gets between SIGTERM and SIGKILL."""


def heartbeat(stage: Stage, *, stubborn: bool = False) -> tuple[dict[str, str], Path, Path]:
    """A command whose grandchild writes a beat; the file of the beats and the file of its pids."""
    beat, pids = stage.project / "beat", stage.project / "pids"
    trap = "trap '' TERM; " if stubborn else ""
    loop = f"while :; do date +%s%N >> {beat}; sleep 0.1; done"
    command = f"{trap}echo $$ >> {pids}; ({trap}echo $BASHPID >> {pids}; {loop}) & wait"
    return {"command": command, "description": "Beat"}, beat, pids


def alive(pids: Path) -> list[int]:
    """Those processes of a command that still run."""
    found = []
    for pid in map(int, pids.read_text().split()):
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            continue
    return found


def approve(app: Terminal) -> None:
    """Say yes as a person does: once the dock takes keys."""
    app.wait_for("enter answers")
    app.press("1")


def next_prompt_works(stage: Stage, app: Terminal, prompt: str = "go on") -> None:
    """The prompt after an interrupt is answered, and the strict service accepts the history."""
    stage.model.push(f"Answer to {prompt}.")
    app.type(f"{prompt}\r")
    app.wait_for(f"Answer to {prompt}.", "ready")
    assert stage.model.requests[-1].body["messages"][-1]["content"].endswith(prompt)
    stage.model.assert_all_accepted()


def test_esc_in_mid_stream_closes_the_connection_and_keeps_what_came(stage: Stage) -> None:
    stage.model.push(stall("Once upon a time there was"))
    with stage.app() as app:
        app.type("tell a story\r")
        app.wait_for("Once upon a time there was", "esc stops")
        app.press("esc")
        stage.model.wait_for_disconnects()
        app.wait_for("Once upon a time there was", "stopped", "ready")
        next_prompt_works(stage, app)
    assert stage.ends() == ["aborted", "completed"]
    assert "Once upon a time there was" in stage.model.said()


def test_esc_before_the_first_byte_stops(stage: Stage) -> None:
    stage.model.push(hold(stage.model.gate().event))
    with stage.app() as app:
        app.type("hello\r")
        stage.model.wait_for_requests(1)
        app.wait_for("esc stops")
        app.press("esc")
        stage.model.wait_for_disconnects()
        app.wait_for("stopped", "ready")
        next_prompt_works(stage, app)
    assert stage.ends() == ["aborted", "completed"]


def test_esc_while_a_retry_waits_stops_and_asks_no_more(stage: Stage) -> None:
    stage.model.push(status(429, {"error": {"message": "slow down"}}, {"retry-after": "30"}))
    with stage.app() as app:
        app.type("hello\r")
        app.wait_for("slow down", "30 s")
        app.press("esc")
        app.wait_for("stopped", "ready")
        assert len(stage.model.requests) == 1
        next_prompt_works(stage, app)
    assert stage.ends() == ["aborted", "completed"]


def test_esc_while_a_command_runs_leaves_none_of_its_processes(stage: Stage) -> None:
    arguments, beat, pids = heartbeat(stage)
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    with stage.app() as app:
        app.type("start it\r")
        approve(app)
        until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
        app.press("esc")
        until_then(lambda: not alive(pids), "no process of the command", timeout=GRACE + 1)
        last = beat.read_text()
        app.wait_for("stopped", "ready")
        next_prompt_works(stage, app)
        assert beat.read_text() == last
        assert stage.model.roles()[-3:] == ["assistant", "tool", "user"]
    assert stage.ends() == ["aborted", "completed"]
    assert len(stage.model.requests) == 2  # none followed the interrupt by itself


def test_esc_ends_a_command_that_ignores_sigterm_after_the_grace(stage: Stage) -> None:
    arguments, beat, pids = heartbeat(stage, stubborn=True)
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    with stage.app() as app:
        app.type("start it\r")
        approve(app)
        until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
        pressed = time.monotonic()
        app.press("esc")
        app.wait_for("stopping")
        until_then(lambda: not alive(pids), "no process of the command", timeout=GRACE + 1)
        assert time.monotonic() - pressed < GRACE + 1
        app.wait_for("stopped", "ready")
        next_prompt_works(stage, app)
    assert stage.ends() == ["aborted", "completed"]


def test_esc_while_an_approval_waits_runs_nothing(stage: Stage) -> None:
    stage.model.push(
        reply(tool_calls=[("bash", {"command": "touch ran", "description": "Make a file"})]),
    )
    with stage.app() as app:
        app.type("make it\r")
        app.wait_for("Run a command?", "touch ran", "enter answers")
        app.press("esc")
        app.wait_for("stopped", "ready")
        app.wait_gone("Run a command?")
        next_prompt_works(stage, app)
        assert not (stage.project / "ran").exists()
    assert stage.decisions() == ["cancelled"]
    assert stage.ends() == ["aborted", "completed"]


def test_leaving_tells_what_was_not_sent(stage: Stage) -> None:
    stage.model.push(stall("Working on it"))
    with stage.app() as app:
        app.type("first\r")
        app.wait_for("Working on it")
        app.type("second prompt\r")
        app.wait_for("queued: 1")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        assert "Not sent: second prompt" in app.after_app


def test_esc_with_queued_prompts_pauses_the_queue_and_loses_none(stage: Stage) -> None:
    stage.model.push(stall("Working on it"))
    with stage.app(rows=30) as app:
        app.type("first\r")
        app.wait_for("Working on it")
        app.type("second prompt\r")
        app.wait_for("queued: 1")
        app.type("third prompt\r")
        app.wait_for("queued: 2")
        app.type("a draft")
        app.wait_for("a draft")
        app.press("esc")
        stage.model.wait_for_disconnects()
        app.wait_for("stopped", "second prompt", "third prompt", "paused", "a draft")
        assert len(stage.model.requests) == 1
        stage.model.push("Answer to the draft.", "Answer two.", "Answer three.")
        app.press("enter")
        app.wait_for("Answer to the draft.", "second prompt", "third prompt", "paused")
        app.type("another draft")
        app.press("ctrl+x", "r")
        app.wait_for("Answer two.", "Answer three.", "another draft")
        app.wait_gone("queued:")
    assert [
        data["content"][0]["text"] for data in stage.facts("user/message") if data["source"]["kind"] == "user"
    ] == [
        "first",
        "a draft",
        "second prompt",
        "third prompt",
    ]
    stage.model.assert_all_accepted()


def test_esc_closes_an_open_list_first_and_then_stops_the_turn_and_keeps_the_draft(stage: Stage) -> None:
    stage.model.push(stall("Working on it"))
    with stage.app(rows=30) as app:
        app.type("first\r")
        app.wait_for("Working on it")
        app.type("/he")
        app.wait_for("/help")
        app.press("esc")
        app.wait_gone("/help")
        assert stage.model.server.disconnects == 0
        app.press("esc")
        stage.model.wait_for_disconnects()
        app.wait_for("stopped", "ready", "│ /he ")
    assert stage.ends() == ["aborted"]


def test_esc_stops_a_plugins_tool_that_waits(stage: Stage) -> None:
    plugins = stage.home / "plugins"
    plugins.mkdir()
    (plugins / "waits.py").write_text(
        "import asyncio\n"
        "from pydantic import BaseModel\n"
        "from dsh_tui.engine.tools.definition import ToolDefinition, ToolOutput\n"
        "from dsh_tui.engine.tools.registry import TOOLS\n"
        "inject = (TOOLS,)\n"
        "class Args(BaseModel):\n"
        "    pass\n"
        "async def wait(args, call):\n"
        "    await asyncio.sleep(3600)\n"
        "def apply(ctx, config):\n"
        "    ctx[TOOLS].register(ctx, ToolDefinition(name='wait', description='Waits.', parameters=Args,\n"
        "                                            execute=wait, kind='other', changes=False))\n"
    )
    stage.model.push(reply(tool_calls=[("wait", {})]))
    with stage.app() as app:
        app.type("wait\r")
        app.wait_for("● wait", "running")
        app.press("esc")
        app.wait_for("stopped", "ready")
        next_prompt_works(stage, app)
    assert stage.ends() == ["aborted", "completed"]
