"""Sessions of the original in the real program: listed, read, gone on from in a copy, never touched."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.fakes.model_server import reply
from tests.fakes.original_logs import OriginalLog, conversation
from tests.real.stage import Stage, rows


def dsh(stage: Stage) -> Path:
    return stage.root / ".dsh"


def prints(root: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*") if path.is_file()
    }


def crashed(version: int, cwd: str) -> OriginalLog:
    """A session that ended in the middle of a tool, with all that a request must get right."""
    log = conversation(version, "session-old", cwd=cwd)
    log.ask("Run the slow thing")
    log.answer("", thinking="Slow.", calls=[("c9", "bash", {"command": "sleep 9"}), ("", "", {})])
    log.call("c9", "bash", {"command": "sleep 9"})
    return log


@pytest.mark.parametrize("version", range(5))
def test_exec_goes_on_from_one_as_a_session_of_ours(stage: Stage, version: int) -> None:
    crashed(version, str(stage.project)).store(dsh(stage))
    before = prints(dsh(stage))
    stage.model.push(reply("Going on.", thinking="Fine."))
    done = stage.exec("--resume", "session-old", "go on")
    assert (done.returncode, done.stdout) == (0, "Going on.\n")
    new_id = stage.log().parent.name
    assert done.stderr == f"dsh-tui: session-old is a session of DeepSeek Harness; it goes on as {new_id}\n"
    stage.model.assert_all_accepted()
    header = json.loads(stage.log().read_text().splitlines()[0])
    assert header["parentSession"] == "session-old"
    assert header["cwd"] == str(stage.project)
    messages = stage.model.requests[-1].body["messages"]
    thoughts = [message.get("reasoning_content") for message in messages if message["role"] == "assistant"]
    assert thoughts == ["", "", "", "That was easy enough.", "Polite.", "Slow."]
    stage.model.push("Once more.")
    again = stage.exec("--resume", new_id, "and again")
    assert (again.returncode, again.stderr) == (0, "")
    assert len(stage.logs()) == 1
    stage.model.assert_all_accepted()
    assert prints(dsh(stage)) == before


def test_lists_and_transcripts_hold_both(stage: Stage) -> None:
    stage.model.push("Hi.")
    stage.exec("hello")
    conversation(0, "session-v0").store(dsh(stage))
    conversation(4, "child", parentSession="session-v0", origin="subagent").store(dsh(stage), raw=True)
    path = conversation(9, "session-new").store(dsh(stage))
    listed = {row["id"]: row for row in json.loads(stage.run("sessions", "list", "--json").stdout)}
    assert len(listed) == 4
    assert (listed["session-v0"]["source"], listed["session-v0"]["turns"]) == ("dsh", 2)
    assert (listed["child"]["parentSession"], listed["child"]["status"]) == ("session-v0", "ok")
    assert (listed["session-new"]["status"], listed["session-new"]["source"]) == ("foreign-version", "dsh")
    shown = stage.run("sessions", "show", "session-v0")
    assert "Done, **hi** it is." in shown.stdout
    assert "+c" in shown.stdout
    assert len(rows(stage.run("sessions", "show", "child", "--json").stdout)) == 1 + conversation(4).seq
    for command in (("sessions", "show"), ("exec", "hi", "--resume")):
        refused = stage.run(*command, "session-new")
        assert refused.returncode == 1
        assert refused.stderr.startswith(f"dsh-tui: {path}: written in log version 9")
        assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("way", ["sent to", "forked"])
def test_the_app_shows_one_read_only_and_goes_on_in_a_copy(stage: Stage, way: str) -> None:
    log = conversation(4, cwd=str(stage.project))
    log.store(dsh(stage))
    before = prints(dsh(stage))
    with stage.app("--resume", "session-old", columns=110, rows=40, ready="You are welcome.") as app:
        app.wait_for("read-only", "DeepSeek Harness")
        stage.model.push("In a copy.")
        if way == "forked":
            app.type("/fork\r")
            app.wait_for("ready")
        app.type("go on\r")
        app.wait_for("In a copy.")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    stage.model.assert_all_accepted()
    assert json.loads(stage.log().read_text().splitlines()[0])["parentSession"] == "session-old"
    assert prints(dsh(stage)) == before


def test_a_damaged_one_opens_with_a_word_of_it_and_goes_on(stage: Stage) -> None:
    log = conversation(4, cwd=str(stage.project))
    frames = log.frames()
    at = sum(map(len, frames[:2]))
    frames[2] = frames[2][:-9] + b"!" + frames[2][-8:]
    path = log.store(dsh(stage), content=b"".join(frames))
    before = prints(dsh(stage))
    [row] = json.loads(stage.run("sessions", "list", "--json").stdout)
    assert (row["status"], row["source"]) == ("damaged", "dsh")
    with stage.app("--resume", "session-old", columns=110, rows=40, ready="You are welcome.") as app:
        app.wait_for("read-only")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    stage.model.push("Going on.")
    done = stage.exec("--resume", "session-old", "go on")
    assert (done.returncode, done.stdout) == (0, "Going on.\n")
    what, where = done.stderr.splitlines()
    assert what == f"dsh-tui: {path}: the frame at byte {at} is damaged; its records are lost"
    assert "it goes on as" in where
    stage.model.assert_all_accepted()
    assert prints(dsh(stage)) == before


def test_the_browser_marks_them_and_opens_them(stage: Stage) -> None:
    conversation(0, cwd=str(stage.project)).store(dsh(stage))
    with stage.app(columns=110, rows=40) as app:
        app.type("/sessions\r")
        app.wait_for("Say hi in the greeting", "dsh", "read-only")
        app.press("enter")
        app.wait_for("Done, hi it is.", "read-only")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
