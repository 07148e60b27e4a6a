"""``exec`` when something is wrong: one clear line, the right status, nothing lost, no traceback."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.fakes.model_script import Answer
from tests.fakes.model_server import drop, eof_without_done, raw, reply, reset, status
from tests.real.served_model import ServedModel
from tests.real.stage import DSH_TUI, KEY, Stage

DSH = (str(DSH_TUI), "exec")
Running: TypeAlias = "subprocess.Popen[str]"


def error(message: str) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


CALL = [("bash", {"command": "touch ran", "description": "Make a file"})]
BROKEN: dict[str, Answer | None] = {
    "refused connection": None,
    "overloaded": status(503, error("Overloaded"), {"retry-after": "0"}),
    "cut off": eof_without_done("half an ans", tool_calls=CALL),
    "reset": reset("half an ans"),
    "dropped": drop(),
    "no JSON": raw(b"data: {this is no JSON}\n\ndata: [DONE]\n\n"),
    "a web page": raw(b"<html>proxy says hello</html>", content_type="text/html"),
    "garbage": raw(b"\xff\xfe\x00 garbage \n\n\n:::\ndata\n\n"),
}
"""What goes wrong at every try."""


@pytest.fixture(scope="module", autouse=True)
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, tuple[Stage, Running]]]:
    """A run for each of `BROKEN`, all at once and behind the other tests: they mostly wait between tries."""
    with ExitStack() as stack:
        started = {}
        for name, answer in BROKEN.items():
            stage = Stage(tmp_path_factory.mktemp("broken"), stack.enter_context(ServedModel()))
            if answer is None:
                with socket.create_server(("127.0.0.1", 0)) as server:
                    stage.env["DEEPSEEK_BASE_URL"] = f"http://127.0.0.1:{server.getsockname()[1]}"
            else:
                stage.model.push(*[answer] * 12)
            started[name] = (stage, stack.enter_context(stage.start_exec("--mode", "full", "hi")))
        yield started


def said(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line on stderr of a run that failed with ``code`` and answered nothing."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def test_a_wrong_key_is_told_once_and_not_retried(tmp_path: Path) -> None:
    with ServedModel(key="sk-the-right-one") as model:
        stage = Stage(tmp_path, model)
        line = said(stage.exec("hi"), 1)
        assert "key" in line.lower()
        assert KEY not in line
        assert len(model.requests) == 1
        assert stage.ends() == ["error"]


def test_without_a_key_it_says_how_to_give_one_and_makes_no_session(stage: Stage) -> None:
    del stage.env["DEEPSEEK_API_KEY"], stage.env["DEEPSEEK_BASE_URL"]
    assert "DEEPSEEK_API_KEY" in said(stage.exec("hi"), 1)
    assert stage.logs() == []


@pytest.mark.parametrize("code", [400, 404])
def test_an_unknown_model_is_told_in_the_services_words_and_not_retried(stage: Stage, code: int) -> None:
    stage.model.push(status(code, error("Model Not Exist")))
    line = said(stage.exec("-m", "no-such-model", "hi"), 1)
    assert "Model Not Exist" in line
    assert len(stage.model.requests) == 1
    assert stage.model.requests[0].body["model"] == "no-such-model"


def test_a_provider_that_is_not_there_is_a_usage_error(stage: Stage) -> None:
    assert "nowhere" in said(stage.exec("-m", "nowhere/some-model", "hi"), 2)


def test_a_busy_service_is_asked_again_after_the_time_it_names(stage: Stage) -> None:
    stage.model.push(status(429, error("Too busy"), {"retry-after": "1"}), "Now it works.")
    done = stage.exec("hi")
    assert (done.returncode, done.stdout) == (0, "Now it works.\n")
    assert len(stage.model.requests) == 2
    assert stage.model.requests[0].raw == stage.model.requests[1].raw


def test_a_history_that_became_too_long_is_summarised_and_the_task_goes_on(tmp_path: Path) -> None:
    looks = [("bash", {"command": "seq 1 4000", "description": "Count"})]
    with ServedModel(window=13_000) as model:
        stage = Stage(tmp_path, model)
        model.push(reply(tool_calls=looks), reply(tool_calls=looks), "I counted once.", "Counted.")
        done = stage.exec("--mode", "full", "count twice")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Counted.\n", "")
        assert [bool(request.refused) for request in model.requests] == [False, False, True, False, False]
        assert stage.facts("compact/end")[0]["outcome"] == "done"
        assert "count twice" in model.requests[-1].body["messages"][1]["content"]


def test_a_stream_that_breaks_once_is_retried_and_nothing_is_doubled(stage: Stage) -> None:
    stage.model.push(eof_without_done("half an ans"), "A whole answer.")
    done = stage.exec("hi")
    assert (done.returncode, done.stdout) == (0, "A whole answer.\n")
    assert len(stage.facts("assistant/message")) == 1


def test_arguments_that_are_no_json_and_tools_that_do_not_exist_are_answered_to_the_model(
    stage: Stage,
) -> None:
    stage.model.push(
        reply(tool_calls=[("bash", '{"command": "ls'), ("no_such_tool", {"x": 1}), ("read", "[1, 2]")]),
        "I made a mistake.",
    )
    done = stage.exec("--mode", "full", "hi")
    assert (done.returncode, done.stdout) == (0, "I made a mistake.\n")
    assert [data["isError"] for data in stage.facts("tool/result")] == [True, True, True]
    stage.model.assert_all_accepted()


def test_broken_settings_are_refused_with_file_and_line_and_left_alone(stage: Stage) -> None:
    settings = stage.home / "settings.yaml"
    settings.write_text("model: deepseek-flash\nmode: [ask\n")
    line = said(stage.exec("hi"), 2)
    assert "settings.yaml" in line
    assert "line" in line or ":3" in line or ":2" in line
    settings.write_text("modle: deepseek-flash\n")
    line = said(stage.exec("hi"), 2)
    assert "modle" in line
    assert "model" in line
    assert settings.read_text() == "modle: deepseek-flash\n"
    assert stage.model.requests == []


def test_a_home_that_cannot_be_used_is_told_with_its_path(stage: Stage) -> None:
    not_a_directory = stage.root / "file"
    not_a_directory.write_text("")
    line = said(stage.exec("hi", env={"DSH_TUI_HOME": str(not_a_directory)}), 1)
    assert str(not_a_directory) in line


def test_a_home_that_cannot_be_made_is_told_with_its_path(stage: Stage) -> None:
    assert "/proc/nowhere" in said(stage.exec("hi", env={"DSH_TUI_HOME": "/proc/nowhere/home"}), 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_home_without_permission_is_told_with_its_path(stage: Stage) -> None:
    stage.home.chmod(0)
    try:
        assert str(stage.home) in said(stage.exec("hi"), 1)
    finally:
        stage.home.chmod(0o700)


def test_a_session_that_is_not_there_is_told(stage: Stage) -> None:
    line = said(stage.exec("--resume", "session-nowhere", "hi"), 1)
    assert "session-nowhere" in line


def test_a_directory_that_is_not_there_is_told(stage: Stage) -> None:
    assert "/no/such/place" in said(stage.exec("-C", "/no/such/place", "hi"), 2)


def test_an_unknown_option_is_told(stage: Stage) -> None:
    assert "--ouptut" in said(stage.exec("--ouptut", "json", "hi"), 2)


def test_a_session_whose_directory_is_gone_needs_another_one(stage: Stage) -> None:
    stage.model.push("One.", "Two.")
    stage.exec("first")
    moved = stage.root / "moved"
    log = stage.log()
    stage.project.rename(moved)
    done = subprocess.run(
        [*DSH, "--resume", log.parent.name, "second"],
        env=stage.env,
        cwd=moved,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert str(stage.project) in said(done, 1)
    done = subprocess.run(
        [*DSH, "--resume", log.parent.name, "-C", str(moved), "second"],
        env=stage.env,
        cwd=moved,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "Two.\n")


def test_streams_that_its_caller_closed_are_no_fault(stage: Stage) -> None:
    stage.model.push("One.")
    command = f"exec {DSH_TUI} exec first <&- >&- 2>&-"
    done = subprocess.run(["bash", "-c", command], env=stage.env, cwd=stage.project, timeout=60, check=False)
    assert done.returncode == 0
    assert "One." in stage.log().read_text()


@pytest.mark.parametrize("name", BROKEN)
def test_a_service_that_breaks_at_every_try_is_given_up_and_the_session_stays_good(
    runs: Mapping[str, tuple[Stage, Running]], name: str
) -> None:
    stage, process = runs[name]
    answer, words = process.communicate(timeout=60)
    line = said(subprocess.CompletedProcess(process.args, process.returncode, answer, words), 1)
    if name == "refused connection":
        assert stage.env["DEEPSEEK_BASE_URL"].removeprefix("http://") in line
    if name == "overloaded":
        assert "503" in line or "Overloaded" in line
    assert len(stage.model.requests) <= 10
    assert not (stage.project / "ran").exists()
    assert stage.ends() == ["error"]
    stage.model.server.script.clear()
    stage.model.push("Good again.")
    again = stage.exec(
        "--resume", stage.log().parent.name, "once more", env={"DEEPSEEK_BASE_URL": stage.model.url}
    )
    assert (again.returncode, again.stdout) == (0, "Good again.\n")
    stage.model.assert_all_accepted()
