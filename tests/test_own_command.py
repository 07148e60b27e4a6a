"""A command of the user's own, run for real."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from dsh_tui.own_command import MOST, OwnResult, run_own
from tests.fakes.until import until

ENV = {
    "PATH": "/usr/bin:/bin",
    "SHELL": "/bin/sh",
    "MY_API_KEY": "sk-secret",
    "AWS_ACCESS_KEY_ID": "AK",
    "NAME": "kept",
}


@pytest.mark.parametrize(
    ("command", "output", "status"),
    [
        ("echo one; echo two >&2", "one\ntwo\n", 0),
        ("pwd", "{cwd}\n", 0),
        ("echo $NAME$MY_API_KEY$AWS_ACCESS_KEY_ID", "kept\n", 0),
        ("cat; exit 3", "", 3),
        ("printf '\\377x'", "\ufffdx", 0),
        ("printf '\\033[2J\\033]2;t\\007\\033[H'", "", 0),
        ("kill -9 $$", "", -9),
    ],
)
async def test_it_runs_in_the_directory_and_tells_all_that_was_printed(
    tmp_path: Path, command: str, output: str, status: int
) -> None:
    done = await run_own(command, tmp_path, ENV)
    assert (done.output, done.status) == (output.format(cwd=tmp_path), status)


async def test_of_much_output_the_beginning_and_the_end_are_kept(tmp_path: Path) -> None:
    done = await run_own("echo begin; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end", tmp_path, ENV)
    assert done.output.startswith("begin\n")
    assert done.output.endswith("\nend\n")
    assert done.left_out == 1_000_011 - MOST
    assert f"{done.left_out:,} bytes left out" in done.output


async def test_who_gives_it_up_ends_its_children_too(tmp_path: Path) -> None:
    running = asyncio.create_task(run_own("sleep 60 & echo $! > child; wait", tmp_path, ENV))
    child = tmp_path / "child"
    await until(lambda: child.exists() and child.read_text().strip())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await gone(child)


async def gone(child: Path) -> None:
    stat = Path(f"/proc/{child.read_text().strip()}/stat")
    await until(lambda: not stat.exists() or stat.read_text().split()[2] == "Z")


async def test_it_ends_with_its_shell_and_so_does_what_it_left_in_the_background(tmp_path: Path) -> None:
    done = await run_own("sleep 60 & echo $! > child; echo begun", tmp_path, ENV)
    assert (done.output, done.status, done.ended_more) == ("begun\n", 0, True)
    await gone(tmp_path / "child")


async def test_who_left_its_group_holds_nobody_up_and_runs_on(tmp_path: Path) -> None:
    done = await run_own("setsid sh -c 'echo $$ > child; exec sleep 60' & sleep 0.1", tmp_path, ENV)
    child = int((tmp_path / "child").read_text())
    os.kill(child, signal.SIGKILL)  # fails if it has ended
    assert not done.ended_more


async def test_a_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        await run_own("true", tmp_path / "gone", ENV)


def test_as_a_prompt_it_is_fenced_so_that_the_output_can_not_end_the_fence() -> None:
    assert OwnResult("ls", "a\n", 0).as_prompt == "I ran `ls`:\n```\na\n```\n"
    assert "exit 2" in OwnResult("ls", "a", 2).as_prompt
    assert "SIGKILL" in OwnResult("ls", "a", -9).as_prompt
    assert OwnResult("cat x", "```\ncode\n```", 0).as_prompt.splitlines()[1] == "````"


async def test_no_control_character_splits_a_fence_that_then_ends_it(tmp_path: Path) -> None:
    done = await run_own("printf '`\\033[0m``\\n'", tmp_path, ENV)
    assert done.as_prompt.count("````") == 2
