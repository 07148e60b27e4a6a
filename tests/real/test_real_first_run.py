"""The first minutes: no key, a wrong key, a local server, the demo, and a log played again."""

from __future__ import annotations

import stat
from typing import Final

import pytest

from tests.fakes.model_server import status
from tests.fakes.strict_api import error_body
from tests.real.stage import Stage

NO_KEY: Final = {"DEEPSEEK_API_KEY": "", "DEEPSEEK_BASE_URL": ""}
PLAYS: Final = "◇ recording"
SIZES: Final = [(80, 24), (120, 40)]


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_without_a_key_a_recording_plays_and_says_so_until_a_key_is_there(
    stage: Stage, columns: int, rows: int
) -> None:
    with stage.app(env=NO_KEY, columns=columns, rows=rows, ready=PLAYS) as app:
        app.wait_for("No key yet: this is a recording, nothing here is live", "1 Enter a DeepSeek API key")
        app.wait_for("Fix the flaky retry test", "payments-api", "∴ Th")
        app.press("1")
        app.wait_for("DeepSeek API key", "enter saves")
        app.type("sk-first-key")
        app.wait_for("••••••••••••")
        app.type("\r")
        app.wait_gone(PLAYS, "No key yet")
        app.wait_for("Saved. Ask away", "Ask about this project")
        assert "sk-first" not in app.text
        app.type("/quit\r")
        assert app.wait_exit() == 0
    credentials = stage.home / "credentials.yaml"
    assert stat.S_IMODE(credentials.stat().st_mode) == 0o600
    assert credentials.read_text() == "deepseek: sk-first-key\n"
    assert stage.logs() == []  # a recording is no session


def test_what_is_typed_at_first_run_is_kept_and_sent_once_there_is_a_server(stage: Stage) -> None:
    stage.model.push("Hello from next door.")
    with stage.app(env=NO_KEY, ready=PLAYS) as app:
        app.wait_for("No key yet")
        app.type("hello\r")
        app.wait_for("/key takes a key")
        app.press("ctrl+u")
        app.wait_for("Nothing can be sent yet")
        app.type("/server\r")
        app.wait_for("Local server", "enter saves")
        app.type(f"{stage.model.url}\r")
        app.wait_gone(PLAYS)
        app.type("hello\r")
        app.wait_for("Hello from next door.", "✓ done")
    assert stage.model.url in (stage.home / "settings.yaml").read_text()
    assert stage.ends() == ["completed"]


def test_earlier_sessions_can_be_read_without_a_key(stage: Stage) -> None:
    stage.model.push("An old answer.")
    assert stage.exec("an old question").returncode == 0
    with stage.app(env=NO_KEY, ready=PLAYS) as app:
        app.wait_for("No key yet")
        app.press("3")
        app.wait_for("Sessions", "an old question")
        app.press("enter")
        app.wait_for("An old answer.", "this session can be read, not continued")


def test_a_wrong_key_is_said_once_with_the_command_that_mends_it(stage: Stage) -> None:
    stage.model.push(status(401, error_body("Authentication Fails", "authentication_error")), "Now it works.")
    with stage.app() as app:
        app.type("hello\r")
        app.wait_for("✗ The provider refused the API key (401)", "/key takes another key; then send again.")
        app.type("/key\r")
        app.wait_for("DeepSeek API key", "enter saves")
        app.type("sk-other\r")
        app.wait_for("Saved, but DEEPSEEK_API_KEY in the environment wins over it")
        app.wait_for("refused the API key")  # the same session, still there
        app.type("again\r")
        app.wait_for("Now it works.", "✓ done")
    assert stage.ends() == ["error", "completed"]


def test_the_demo_plays_with_a_key_too_and_a_prompt_leaves_it(stage: Stage) -> None:
    stage.model.push("Live now.")
    with stage.app("--demo", ready=PLAYS) as app:
        app.wait_for("What you send begins a session of your own", "esc starts a session")
        app.type("hello\r")
        app.wait_gone(PLAYS)
        app.wait_for("Live now.", "✓ done")
    with stage.app("--demo", ready=PLAYS) as app:
        app.wait_for("esc starts a session")
        app.press("esc")
        app.wait_gone(PLAYS)
        app.wait_for("Ask about this project", "ready")
    assert stage.ends() == ["completed"]


def test_a_stored_session_is_played_again_and_can_only_be_read(stage: Stage) -> None:
    stage.model.push("The answer that was recorded.")
    assert stage.exec("the question").returncode == 0
    log = stage.log()
    before = log.read_bytes()
    with stage.app("replay", str(log), "--speed", "50", ready=PLAYS) as app:
        app.wait_for("the question", "The answer that was recorded.", "✓ done", "recording ended")
        app.type("and now?\r")
        app.wait_for("and now?", "session.jsonl is only shown; /new starts a session")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    assert log.read_bytes() == before
    assert len(stage.logs()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.jsonl",), "no session log at missing.jsonl"),
        ((".",), ". is a directory; name a session.jsonl file"),
        (("notes.txt",), "notes.txt: no session log, or an empty one; nothing to play"),
        (("foreign.jsonl",), "foreign.jsonl: not a dsh-tui session log"),
        (("notes.txt", "--speed", "fast"), "argument --speed: fast is no speed; give a number"),
    ],
)
def test_a_file_that_cant_be_played_is_one_clear_line(
    stage: Stage, arguments: tuple[str, ...], said: str
) -> None:
    (stage.project / "notes.txt").write_text("alpha\nbeta\n")
    (stage.project / "foreign.jsonl").write_text('{"format":"other","version":1}\n{"a":1}\n')
    done = stage.run("replay", *arguments)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith(f"dsh-tui: {said}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
