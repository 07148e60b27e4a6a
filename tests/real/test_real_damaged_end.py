"""Who goes on with a session whose last turn is damaged, or with one that was cut, is told of it."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.log_folder import LogFolder
from tests.fakes.session_logs import answer, bare_session, call, open_step, open_turn, result, whole_turn
from tests.real.stage import Stage

DAMAGE = "the end of the log is damaged (line 12 is damaged"


def unfinished(stage: Stage) -> Path:
    """The log of a session that was in the middle of a call's step."""
    session = bare_session("s1", cwd=str(stage.project))
    whole_turn(session, "hello", "hi")
    open_turn(session, "tidy up")
    open_step(session)
    answer(session, "on it", "c1")
    call(session, "c1")
    result(session, "c1", "removed")
    return LogFolder(stage.home / "sessions").store(session)


def test_the_app_goes_on_and_says_what_was_cut_and_where_it_is(stage: Stage) -> None:
    path = unfinished(stage)
    lines = path.read_bytes().split(b"\n")
    lines[11] = lines[11][:30]
    path.write_bytes(b"\n".join(lines))
    with stage.app("--continue", columns=200) as app:
        app.wait_for(DAMAGE, "session.cut-at-", "may have run")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    [aside] = path.parent.glob("session.cut-at-*.jsonl")
    assert b"removed" in aside.read_bytes()


def test_exec_goes_on_and_says_on_stderr_what_a_crash_cut(stage: Stage) -> None:
    path = unfinished(stage)
    path.write_bytes(path.read_bytes()[:-30])
    stage.model.push("Fine.")
    done = stage.exec("--resume", "s1", "and now?")
    assert (done.returncode, done.stdout) == (0, "Fine.\n")
    [said] = done.stderr.splitlines()
    assert said.startswith("dsh-tui: the last record was cut off (")
