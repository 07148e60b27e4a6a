"""Commands on this machine: their status, their end, and what they leave behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.shell.local import LocalShell
from dsh_tui.engine.shell.seam import ShellError, ShellRequest, ShellResult
from dsh_tui.engine.spill.store import SpillStore
from tests.fakes.workbench import ENVIRON


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[LocalShell]:
    local = LocalShell(SpillStore(tmp_path / "spill"), environ=ENVIRON, grace=0.4)
    yield local
    await local.close()


def request_for(command: str, cwd: Path, timeout_ms: int | None = 10_000) -> ShellRequest:
    return ShellRequest(command=command, cwd=cwd, session_id="s1", label="c1", timeout_ms=timeout_ms)


async def ran(shell: LocalShell, command: str, cwd: Path, timeout_ms: int = 10_000) -> ShellResult:
    return await shell.run(request_for(command, cwd, timeout_ms), CancelSignal())


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return state[state.rfind(")") + 2] != "Z"


@pytest.mark.parametrize(
    ("command", "code", "killed_by", "stdout"),
    [
        ("echo hi", 0, None, "hi\n"),
        ("exit 7", 7, None, ""),
        ("false | true", 0, None, ""),
        ("no-such-command-xyz", 127, None, ""),
        ("kill -TERM $$", None, "SIGTERM", ""),
        ('read -r x; echo "after:[$x]"', 0, None, "after:[]\n"),
        ("cat", 0, None, ""),
        ("test -t 0 && echo TTY || echo NOTTY", 0, None, "NOTTY\n"),
        ("echo $DSH_SESSION_ID $TERM", 0, None, "s1 dumb\n"),
        ("exec >&- 2>&-; exit 3", 3, None, ""),
        ("echo out; echo err >&2", 0, None, "out\n"),
    ],
)
async def test_status_and_output_are_what_bash_says(
    shell: LocalShell, command: str, code: int | None, killed_by: str | None, stdout: str, tmp_path: Path
) -> None:
    result = await ran(shell, command, tmp_path)
    assert (result.exit_code, result.signal, result.stdout.text) == (code, killed_by, stdout)
    assert not result.timed_out
    assert result.leftovers == "none"


async def test_nothing_carries_over_between_calls(shell: LocalShell, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    await ran(shell, "cd sub; export X=1", tmp_path)
    assert (await ran(shell, "pwd; echo [$X]", tmp_path)).stdout.text == f"{tmp_path}\n[]\n"


@pytest.mark.parametrize(
    "command",
    ["sleep 30 & echo $!", "sleep 30 >/dev/null & echo $!", "sleep 30 </dev/null >/dev/null 2>&1 & echo $!"],
)
async def test_what_a_command_leaves_in_its_group_is_stopped(
    shell: LocalShell, command: str, tmp_path: Path
) -> None:
    started = time.monotonic()
    result = await ran(shell, command, tmp_path)
    assert time.monotonic() - started < 3
    assert (result.exit_code, result.timed_out, result.leftovers) == (0, False, "stopped")
    assert not alive(int(result.stdout.text))


async def test_the_rest_of_a_pipeline_may_finish(shell: LocalShell, tmp_path: Path) -> None:
    result = await ran(shell, "echo a > >(sleep 0.2; cat)", tmp_path)
    assert (result.stdout.text, result.leftovers) == ("a\n", "none")


async def test_a_process_that_detached_itself_does_not_hang_the_call(
    shell: LocalShell, tmp_path: Path
) -> None:
    command = "setsid bash -c 'echo $$ > pid; exec sleep 30' & until test -s pid; do :; done; echo done"
    result = await ran(shell, command, tmp_path)
    assert (result.stdout.text, result.leftovers) == ("done\n", "detached")
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


async def test_a_timeout_ends_all_of_it_even_what_ignores_the_first_signal(
    shell: LocalShell, tmp_path: Path
) -> None:
    result = await ran(shell, "trap '' TERM; sleep 30 & echo $!; wait; wait", tmp_path, 300)
    assert result.timed_out
    assert result.signal == "SIGKILL"
    assert not alive(int(result.stdout.text))


async def test_a_timeout_is_told_even_if_the_command_then_exits_well(
    shell: LocalShell, tmp_path: Path
) -> None:
    result = await ran(shell, "trap 'exit 0' TERM; sleep 30 & wait", tmp_path, 300)
    assert (result.timed_out, result.exit_code) == (True, 0)


async def test_cancelling_leaves_no_process_not_even_a_detached_one(
    shell: LocalShell, tmp_path: Path
) -> None:
    stop = CancelSignal()
    lines: list[str] = []
    heard = asyncio.Event()

    def on_line(line: str) -> None:
        lines.append(line)
        heard.set()

    command = "sleep 31 & echo $! > a; setsid sleep 32 & echo $! > b; echo up; wait"
    running = asyncio.create_task(shell.run(request_for(command, tmp_path), stop, on_line))
    await heard.wait()
    stop.cancel("stop")
    result = await running
    assert (result.aborted, lines[0]) == (True, "up")
    assert not alive(int((tmp_path / "a").read_text()))
    assert not alive(int((tmp_path / "b").read_text()))


async def test_progress_is_the_latest_line_and_not_too_often(shell: LocalShell, tmp_path: Path) -> None:
    lines: list[str] = []
    command = "for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.1; done"
    await shell.run(request_for(command, tmp_path), CancelSignal(), lines.append)
    assert 2 <= len(lines) <= 5
    assert lines[0] == "line 1"


async def test_a_flood_is_bounded_and_ends_on_time(shell: LocalShell, tmp_path: Path) -> None:
    started = time.monotonic()
    result = await ran(shell, "yes", tmp_path, 500)
    assert time.monotonic() - started < 4
    assert result.timed_out
    assert len(result.stdout.text) <= 64_000
    assert result.stdout.truncated


async def test_the_event_loop_answers_during_a_flood(shell: LocalShell, tmp_path: Path) -> None:
    running = asyncio.create_task(ran(shell, "yes", tmp_path, 600))
    worst = 0.0
    while not running.done():
        before = time.monotonic()
        await asyncio.sleep(0)
        worst = max(worst, time.monotonic() - before)
    assert worst < 0.2


async def test_the_start_of_long_output_is_in_the_named_file(shell: LocalShell, tmp_path: Path) -> None:
    result = await ran(shell, "seq 1 50000", tmp_path)
    assert result.stdout.text.endswith("\n50000\n")
    assert result.stdout.spill_path is not None
    assert result.stdout.spill_path.read_text().startswith("1\n2\n")


async def test_a_missing_directory_is_named_and_the_shell_is_not_blamed(
    shell: LocalShell, tmp_path: Path
) -> None:
    with pytest.raises(ShellError, match="'/nowhere/gone' does not exist") as refused:
        await ran(shell, "echo x", Path("/nowhere/gone"))
    assert refused.value.code == "SHELL_NO_DIRECTORY"
    assert (await ran(shell, "echo still", tmp_path)).stdout.text == "still\n"


@pytest.mark.parametrize("command", ["a\0b", "x" * 3_000_000, "\ud800"])
async def test_a_command_that_cannot_start_is_an_error_in_words(
    shell: LocalShell, command: str, tmp_path: Path
) -> None:
    with pytest.raises(ShellError, match="could not be started"):
        await ran(shell, command, tmp_path)


async def test_closing_stops_what_runs(tmp_path: Path) -> None:
    local = LocalShell(SpillStore(tmp_path / "spill"), environ=ENVIRON, grace=0.4)
    task = await local.start(request_for("sleep 33", tmp_path, None))
    await local.close()
    result = task.result
    assert result is not None
    assert (result.aborted, result.signal) == (True, "SIGTERM")


def test_nothing_survives_the_interpreter(tmp_path: Path) -> None:
    script = f"""
import asyncio, sys
from pathlib import Path
from dsh_tui.engine.shell.local import LocalShell
from dsh_tui.engine.shell.seam import ShellRequest
from dsh_tui.engine.spill.store import SpillStore
async def main():
    shell = LocalShell(SpillStore(Path({str(tmp_path)!r})))
    request = ShellRequest(command="echo $$ > pid; sleep 34", cwd=Path({str(tmp_path)!r}),
                           session_id="s", label="c", timeout_ms=None)
    await shell.start(request)
    while not (Path({str(tmp_path)!r}) / "pid").exists() or not (Path({str(tmp_path)!r}) / "pid").read_text():
        await asyncio.sleep(0.01)
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=20, env={**os.environ})
    deadline = time.monotonic() + 3
    pid = int((tmp_path / "pid").read_text())
    while alive(pid) and time.monotonic() < deadline:
        os.sched_yield()
    assert not alive(pid)
