"""``exec`` as scripts use it: the answer alone on stdout, one clear line on stderr, a true exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from dsh_tui.engine.session.idle import append_idle
from tests.fakes.log_folder import LogFolder, spoken
from tests.fakes.model_server import reply, stall
from tests.fakes.until import until_then
from tests.real.stage import DSH_TUI, Stage, rows
from tests.real.test_real_esc import alive, heartbeat

TOUCH = [("bash", {"command": "touch ran", "description": "Make a file"})]


def session_id(stage: Stage) -> str:
    return stage.log().parent.name


def test_text_output_is_the_answer_and_nothing_else(stage: Stage) -> None:
    stage.model.push(
        reply("Looking.", thinking="Hm.", tool_calls=[("glob", {"pattern": "*"})]),
        reply("All is well.", thinking="So."),
    )
    done = stage.exec("how are things?")
    assert (done.returncode, done.stdout, done.stderr) == (0, "All is well.\n", "")
    assert stage.ends() == ["completed"]
    stage.model.assert_all_accepted()
    assert len(stage.model.requests) == 2  # no title, no model list: its turn's calls alone
    assert stage.model.server.gets == []


def test_json_output_is_one_object(stage: Stage) -> None:
    stage.model.push("Fine.")
    done = stage.exec("--output", "json", "how?")
    assert done.returncode == 0
    [answer] = rows(done.stdout)
    assert answer["text"] == "Fine."
    assert (answer["turn"], answer["reason"], answer["sessionId"]) == (1, "completed", session_id(stage))
    assert answer["usage"]["outputTokens"] > 0


def test_stream_json_is_the_stored_log_and_opens_in_the_app(stage: Stage) -> None:
    stage.model.push(
        reply("Let me see.", thinking="Look.", tool_calls=[("glob", {"pattern": "*"})]), "It is all there."
    )
    done = stage.exec("--output", "stream-json", "what is there?")
    assert done.returncode == 0
    shown = stage.run("sessions", "show", session_id(stage), "--json")
    assert rows(done.stdout) == rows(shown.stdout)
    log = stage.log()
    log.write_text(done.stdout)  # the very output in place of the log
    stage.model.push("Still there.")
    with stage.app("--resume", session_id(stage)) as app:
        app.wait_for("It is all there.")
        app.type("and now?\r")
        app.wait_for("Still there.", "ready")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    stage.model.assert_all_accepted()


def test_resume_goes_on_with_the_whole_history_and_prints_only_its_own_rows(stage: Stage) -> None:
    stage.model.push(reply("First answer.", thinking="A."), reply("Second answer.", thinking="B."))
    stage.exec("first question")
    done = stage.exec("--resume", session_id(stage), "--output", "stream-json", "second question")
    assert done.returncode == 0
    header, *events = rows(done.stdout)
    assert header["id"] == session_id(stage)
    texts = [event["data"]["content"][0]["text"] for event in events if event["type"] == "user/message"]
    assert texts == ["second question"]
    assert "First answer." in stage.model.said()
    assert stage.ends() == ["completed", "completed"]
    stage.model.assert_all_accepted()


def test_the_prompt_is_read_from_stdin(stage: Stage) -> None:
    stage.model.push("Read.")
    done = stage.exec("-", stdin="line one\nline two — ü\n")
    assert (done.returncode, done.stdout) == (0, "Read.\n")
    assert "line one\nline two — ü" in stage.model.said()


def test_an_empty_prompt_is_a_usage_error(stage: Stage) -> None:
    done = stage.exec("-", stdin=" \n")
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done) == "dsh-tui: the prompt is empty"


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """What it said on stderr, which must be one line."""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def test_what_would_help_a_refused_call_is_told_by_who_asked(stage: Stage) -> None:
    stage.settings("permissions:\n  ask:\n    - bash(ls *)\n")
    asks = [("bash", {"command": "ls", "description": "x"}), ("exit_plan_mode", {"plan": "# Do it"})]
    stage.model.push(reply(tool_calls=asks[:1]), "None.", reply(tool_calls=asks[1:]), "None.")
    by_rule = stage.exec("list", "--mode", "full")
    by_plan = stage.exec("plan", "--mode", "plan")
    assert (by_rule.returncode, by_plan.returncode) == (3, 3)
    assert "(ask bash(ls *) asks a person each time; run the task in the app)" in by_rule.stderr
    assert "(a plan is approved by a person: run the task in the app, or in another mode)" in by_plan.stderr


def test_a_rule_of_a_newer_version_is_told_in_one_line_and_what_it_may_deny_is_refused(stage: Stage) -> None:
    session = spoken("newer", [("hi", "Hi.")], cwd=str(stage.project))
    append_idle(session, "permission-rule", "permission/rule", {"rule": "deny bash(a)(once)", "by": "user"})
    LogFolder(stage.home / "sessions").store(session)
    stage.model.push(reply(tool_calls=TOUCH), "I may not.")
    done = stage.exec("--mode", "full", "--resume", "newer", "make it")
    assert (done.returncode, done.stdout) == (3, "I may not.\n")
    told, refused = done.stderr.splitlines()
    assert told.startswith(
        "dsh-tui: A rule of this session can't be read; until it is revoked, every call of bash asks"
    )
    assert "deny bash(a)(once) asks a person each time" in refused
    assert not (stage.project / "ran").exists()


def test_a_call_that_nobody_can_approve_is_refused_and_told_and_makes_status_3(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=TOUCH), "I was not allowed to.")
    done = stage.exec("make it")
    assert (done.returncode, done.stdout) == (3, "I was not allowed to.\n")
    assert "bash" in one_line(done)
    assert "touch ran" in done.stderr
    assert "--mode" in done.stderr
    assert "bash(touch ran)" in done.stderr  # the rule that would allow it
    assert not (stage.project / "ran").exists()
    assert stage.ends() == ["completed"]
    stage.model.assert_all_accepted()


def test_a_deny_rule_holds_in_full_mode_and_is_told_to_the_model(stage: Stage) -> None:
    stage.settings("permissions:\n  allow: [bash]\n  deny: ['bash(touch *)']\n")
    stage.model.push(reply(tool_calls=TOUCH), "I may not.")
    denied = stage.exec("--mode", "full", "make it")
    assert (denied.returncode, denied.stdout, denied.stderr) == (0, "I may not.\n", "")
    assert not (stage.project / "ran").exists()
    assert "bash(touch *)" in stage.model.said()


def test_full_mode_runs_without_asking(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=TOUCH), "Made.")
    done = stage.exec("--mode", "full", "make it")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Made.\n", "")
    assert (stage.project / "ran").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_mid_stream_is_status_130_with_the_turns_end_in_the_log(
    stage: Stage, number: signal.Signals
) -> None:
    stage.model.push(stall("half an answer"))
    process = stage.start_exec("go")
    stage.model.wait_for_requests(1)
    until_then(lambda: stage.logs() and "assistant/chunk" in stage.log().read_text(), "chunks in the log")
    process.send_signal(number)
    answer, said = process.communicate(timeout=15)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert answer in ("", "half an answer\n")
    assert stage.ends() == ["aborted"]


def test_sigint_while_a_command_runs_leaves_none_of_its_processes(stage: Stage) -> None:
    arguments, beat, pids = heartbeat(stage)
    stage.model.push(reply(tool_calls=[("bash", arguments)]))
    process = stage.start_exec("--mode", "full", "go")
    until_then(lambda: beat.exists() and len(pids.read_text().split()) == 2, "the heart beats")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=15)
    assert process.returncode == 130
    assert not alive(pids)
    assert stage.ends() == ["aborted"]


def test_a_reader_that_leaves_early_ends_it_quietly_and_keeps_the_session(stage: Stage) -> None:
    stage.model.push("word " * 20_000)
    process = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{DSH_TUI}' exec --output stream-json go | head -1"],
        env=stage.env,
        cwd=stage.project,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert json.loads(process.stdout)["format"] == "dsh-tui"
    assert process.stderr == ""
    assert process.returncode == 1
    assert stage.ends() == ["aborted"]


def test_a_full_disk_under_the_output_is_told_in_one_line(stage: Stage) -> None:
    stage.model.push("The answer.", "The other answer.")
    for output in ("text", "stream-json"):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [DSH_TUI, "exec", "--output", output, "go"],
                env=stage.env,
                cwd=stage.project,
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
        assert done.returncode == 1
        assert one_line(done) == "dsh-tui: the output can't be written: No space left on device"


def test_what_plugins_print_never_mixes_with_the_answer(stage: Stage) -> None:
    plugins = stage.home / "plugins"
    plugins.mkdir()
    (plugins / "chatty.py").write_text(
        "import os, sys\n"
        "print('printed at import')\n"
        "os.write(1, b'written to descriptor 1 at import\\n')\n"
        "def apply(ctx, config):\n"
        "    print('printed in apply')\n"
        "    sys.__stdout__.write('past the redirect\\n')\n"
        "    os.system('echo from a child')\n"
    )
    stage.model.push("The answer.")
    done = stage.exec("go")
    assert (done.returncode, done.stdout) == (0, "The answer.\n")
    assert "printed in apply" in done.stderr


def test_the_key_never_reaches_a_command_the_log_or_the_output(stage: Stage) -> None:
    command = {
        "command": "env; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep -c DEEPSEEK",
        "description": "Look",
    }
    stage.model.push(reply(tool_calls=[("bash", command)]), "Seen.")
    done = stage.exec("--mode", "full", "--output", "stream-json", "show the environment")
    key = stage.env["DEEPSEEK_API_KEY"]
    assert key not in done.stdout + done.stderr
    assert key not in stage.log().read_text()
    assert os.environ.get("PATH", "") in stage.model.said()
