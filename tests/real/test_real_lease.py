"""Two processes and one session: one writes, the other waits, reads, copies, or takes over."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.lease.record import LOCK_NAME
from tests.fakes.model_server import hold, reply, stall
from tests.fakes.until import until_then
from tests.real.stage import Stage
from tests.real.terminal import Terminal


def lock(stage: Stage) -> Path:
    return stage.log().with_name(LOCK_NAME)


def answered(app: Terminal, prompt: str, answer: str) -> None:
    app.type(f"{prompt}\r")
    app.wait_for(answer, "ready")


def quit_app(app: Terminal) -> None:
    app.press("ctrl+q")
    assert app.wait_exit() == 0
    app.assert_restored()


def status(stage: Stage) -> str:
    [row] = json.loads(stage.run("sessions", "list", "--json").stdout)
    return str(row["status"])


def test_exec_refuses_a_session_that_the_app_holds_and_gets_it_when_the_app_has_left(stage: Stage) -> None:
    stage.model.push("From the app.", "From exec.")
    with stage.app() as app:
        answered(app, "one", "From the app.")
        session_id = stage.log().parent.name
        before = stage.log().read_bytes()
        done = stage.exec("--resume", session_id, "two")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
        pid = app.process.pid
        assert re.search(rf"{session_id} is in use by process {pid} until \d\d:\d\d:\d\d", done.stderr)
        assert status(stage) == "busy"
        assert f"[busy] in use by process {pid}" in stage.run("sessions", "list").stdout
        assert stage.log().read_bytes() == before
        quit_app(app)
    assert not lock(stage).exists()
    assert status(stage) == "ok"
    assert stage.exec("--resume", session_id, "two").stdout == "From exec.\n"
    assert not lock(stage).exists()
    stage.model.assert_all_accepted()


def test_a_second_app_reads_along_and_writes_as_soon_as_the_first_has_left(stage: Stage) -> None:
    stage.model.push("Answer one.", "Answer two.", "Answer three.")
    with stage.app() as first:
        answered(first, "one", "Answer one.")
        with stage.app("-c", ready="in use by process", columns=100) as second:
            second.wait_for("Answer one.", f"process {first.process.pid}", "/fork", "read-only")
            second.type("never sent\r")
            answered(first, "two", "Answer two.")
            second.wait_for("Answer two.")
            quit_app(first)
            second.wait_for("ready")
            second.wait_gone("read-only")
            second.press("ctrl+u")
            second.wait_gone("never sent")
            answered(second, "three", "Answer three.")
            quit_app(second)
    assert stage.ends() == ["completed"] * 3
    assert "never sent" not in stage.log().read_text()
    stage.model.assert_all_accepted()


def test_a_busy_session_is_forked_into_a_copy_with_a_lease_of_its_own(stage: Stage) -> None:
    stage.model.push("Answer one.", "In the copy.")
    with stage.app() as first:
        answered(first, "one", "Answer one.")
        original = stage.log().read_bytes()
        with stage.app("-c", ready="in use by process", columns=100) as second:
            second.type("/fork\r")
            second.wait_for("ready")
            answered(second, "go on", "In the copy.")
            assert len(stage.logs()) == 2
            assert all(log.with_name(LOCK_NAME).exists() for log in stage.logs())
            quit_app(second)
        assert stage.logs()[0].read_bytes() == original
        quit_app(first)
    stage.model.assert_all_accepted()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_lease_back(stage: Stage, number: signal.Signals) -> None:
    stage.model.push("Answer.")
    with stage.app() as app:
        answered(app, "one", "Answer.")
        assert lock(stage).exists()
        app.signal(number)
        assert app.wait_exit() == 128 + number
    assert not lock(stage).exists()


def test_an_app_in_which_nothing_was_said_leaves_no_folder_behind(stage: Stage) -> None:
    with stage.app() as app:
        until_then(lambda: list(stage.home.rglob(LOCK_NAME)), "the lock of an empty session")
        assert stage.logs() == []
        quit_app(app)
    assert list(stage.home.rglob(LOCK_NAME)) == []
    assert list((stage.home / "sessions").glob("*/*")) == []


def test_a_second_interrupt_of_exec_gives_the_lease_back_too(stage: Stage) -> None:
    arguments = {"command": "trap '' INT TERM; sleep 30", "description": "Ignore"}
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    process = stage.start_exec("--mode", "full", "go")
    until_then(lambda: stage.logs() and "tool/call" in stage.log().read_text(), "the call")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=15)
    until_then(lambda: not lock(stage).exists(), "a lease that was given back")


def stopped(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    until_then(
        lambda: Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T", "a stop"
    )


def test_a_writer_that_was_stopped_beyond_its_lease_loses_it_and_keeps_all_on_its_screen(
    stage: Stage,
) -> None:
    stage.lease()
    stage.model.push("Answer one.", stall("Half of two"))
    with stage.app(columns=100) as app:
        answered(app, "one", "Answer one.")
        app.type("two\r")
        app.wait_for("Half of two")
        stopped(app.process)
        stage.wait_until_free()
        stage.model.push("Taken over.")
        session_id = stage.log().parent.name
        done = stage.exec("--resume", session_id, "three")
        assert (done.returncode, done.stdout) == (0, "Taken over.\n")
        after = stage.log().read_bytes()
        app.signal(signal.SIGCONT)
        app.wait_for("can no longer be written here", "Half of two", "Answer one.", "/fork")
        time.sleep(0.5)  # what it would still write, it would write now
        assert stage.log().read_bytes() == after
        stage.model.push("In a copy.")
        app.type("/fork\r")
        app.wait_for("ready")
        answered(app, "and now", "In a copy.")
        assert "Half of two" in stage.model.said()
        quit_app(app)
    assert stage.logs()[0].read_bytes() == after
    assert len(stage.logs()) == 2
    stage.model.assert_all_accepted()


def test_a_writer_that_slept_while_idle_takes_its_session_back(stage: Stage) -> None:
    stage.lease()
    stage.model.push("Answer one.", "Answer two.")
    with stage.app(columns=100) as app:
        answered(app, "one", "Answer one.")
        stopped(app.process)
        stage.wait_until_free()
        app.signal(signal.SIGCONT)
        app.wait_for("ready")
        app.wait_for("The session is free")
        answered(app, "two", "Answer two.")
        quit_app(app)
    assert stage.ends() == ["completed", "completed"]
    stage.model.assert_all_accepted()


def test_exec_that_was_stopped_beyond_its_lease_fails_and_writes_nothing(stage: Stage) -> None:
    stage.lease()
    gate = stage.model.gate()
    stage.model.push(hold(gate.event, reply("late")))
    process = stage.start_exec("one")
    stage.model.wait_for_requests(1)
    until_then(lambda: stage.logs() and lock(stage).exists(), "the log")
    os.kill(process.pid, signal.SIGSTOP)
    stage.wait_until_free()
    before = stage.log().read_bytes()
    gate.open()
    os.kill(process.pid, signal.SIGCONT)
    answer, said = process.communicate(timeout=15)
    assert process.returncode == 1
    assert answer in ("", "late\n")  # what came is told, though it could not be stored
    assert "ran out while this program was asleep or stopped" in said
    assert "Traceback" not in said
    assert stage.log().read_bytes() == before


def test_a_crash_of_the_screen_gives_the_lease_back(stage: Stage) -> None:
    (stage.home / "plugins").mkdir()
    (stage.home / "plugins" / "bad.py").write_text(
        "from dsh_tui.engine.session.store import SESSION_EVENT\n"
        "from dsh_tui.widgets.transcript import Transcript\n"
        "def apply(ctx, config):\n"
        "    def break_the_screen(session, event):\n"
        "        if event.type == 'turn/end':\n"
        "            Transcript.show = None\n"
        "    ctx.on(SESSION_EVENT, break_the_screen, everywhere=True)\n"
    )
    stage.model.push("Answer.")
    with stage.app() as app:
        app.type("one\r")
        assert app.wait_exit() == 1
        assert "dsh-tui stopped" in app.after_app
    assert not lock(stage).exists()
    assert stage.ends() == ["completed"]
