"""What went over the wire, told by another process from the log alone, whatever became of the first."""

from __future__ import annotations

import json
import subprocess

from tests.fakes.model_server import reply, reset, stall, status
from tests.real.stage import DSH_TUI, Stage

READ = reply("Look.", thinking="Hm, 嗯.", tool_calls=[("bash", {"command": "echo hi", "description": "Hi"})])


def raw_requests(stage: Stage, *options: str) -> list[bytes]:
    """What ``sessions requests --raw`` prints of the one session."""
    command = [str(DSH_TUI), "sessions", "requests", stage.log().parent.name, "--raw", *options]
    return subprocess.run(command, env=stage.env, capture_output=True, check=True).stdout.split(b"\n")[:-1]


def sent(stage: Stage) -> list[bytes]:
    stage.model.assert_all_accepted()
    return [request.raw for request in stage.model.requests]


def test_retries_tools_and_a_resume_with_another_model_are_told_byte_for_byte(stage: Stage) -> None:
    stage.model.push(status(500, "busy"), READ, reset("Half of"), "All of it. \u2028 修复")
    assert stage.exec("--mode", "full", "修复 it").returncode == 0
    session = stage.log().parent.name
    stage.model.push(READ, "Again.")
    again = stage.exec(
        "--resume", session, "-m", "deepseek-v4-pro", "--effort", "low", "--mode", "full", "more"
    )
    assert again.returncode == 0, again.stderr
    assert len(sent(stage)) == 6
    assert raw_requests(stage) == sent(stage)
    assert raw_requests(stage, "--turn", "1", "--step", "1") == sent(stage)[:2]
    rows = json.loads(stage.run("sessions", "requests", session, "--json").stdout)
    places = [(row["step"], row["attempt"]) for row in rows]
    assert places == [(1, 1), (1, 2), (2, 1), (2, 2), (1, 1), (2, 1)]
    assert [row["body"] for row in rows] == [request.body for request in stage.model.requests]
    assert stage.run("sessions", "verify").returncode == 0


def test_a_request_that_was_under_way_when_the_process_was_killed_is_told(stage: Stage) -> None:
    stage.lease()
    stage.model.push(READ, stall(headers=False))
    process = stage.start_exec("--mode", "full", "go")
    stage.model.wait_for_requests(2)
    process.kill()
    process.communicate()
    assert raw_requests(stage) == sent(stage)
    stage.wait_until_free()
    stage.model.push("Still here.")
    assert stage.exec("--resume", stage.log().parent.name, "on").returncode == 0
    assert len(sent(stage)) == 3
    assert raw_requests(stage) == sent(stage)
    assert stage.run("sessions", "verify").returncode == 0


def test_what_never_reached_the_server_is_not_told(stage: Stage) -> None:
    stage.env["DEEPSEEK_BASE_URL"] = "http://127.0.0.1:9"
    (stage.home / "settings.yaml").write_text("")
    process = stage.start_exec("hello")
    try:
        process.communicate(timeout=3)  # it goes on trying
    except subprocess.TimeoutExpired:
        process.terminate()
        process.communicate()
    assert "finish" in {data["chunk"]["type"] for data in stage.facts("assistant/chunk")}
    assert raw_requests(stage) == sent(stage) == []
