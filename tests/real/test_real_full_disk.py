"""A disk that is full: it is told, nothing acknowledged is lost, and writing goes on when there is room."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fakes.model_server import reply
from tests.real.served_model import ServedModel
from tests.real.stage import DSH_TUI, Stage
from tests.real.terminal import Terminal


def allow(app: Terminal, size: int) -> None:
    """No file of the app may grow beyond ``size``, from now on."""
    _, hard = resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def asked(stage: Stage) -> list[str]:
    """The prompts in the log."""
    return [
        data["content"][0]["text"] for data in stage.facts("user/message") if data["source"]["kind"] == "user"
    ]


def test_the_app_tells_that_it_cannot_save_loses_nothing_and_goes_on_when_there_is_room(stage: Stage) -> None:
    gate = stage.model.gate()
    stage.model.push("The first answer.")
    with stage.app(columns=120) as app:
        app.type("one\r")
        app.wait_for("The first answer.", "✓ done", "ready")
        app.wait_until(lambda: len(stage.facts("turn/end")) == 1, "the first turn in the log")
        saved = stage.log().read_bytes()
        stage.model.push(reply("The second answer, of some length.", gate=gate.event, gate_after=3))
        app.type("two\r")
        app.wait_for("The second")
        app.wait_until(lambda: len(asked(stage)) == 2, "the second prompt in the log")
        before = stage.log().read_bytes()
        allow(app, len(before))
        gate.open()
        app.wait_for("The second answer, of some length.", "not saved")
        app.type("three\r")
        app.wait_for("✗ cannot write", "✗ failed", "not saved")
        assert len(stage.model.requests) == 2  # nothing is asked that the log would not know of
        stage.events()
        assert stage.log().read_bytes().startswith(before)
        assert before.startswith(saved)
        allow(app, resource.RLIM_INFINITY)
        stage.model.push("The fourth answer.")
        app.type("four\r")
        app.wait_for("The fourth answer.", "ready")
        app.wait_gone("not saved")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()
    assert asked(stage) == ["one", "two", "three", "four"]
    assert stage.ends() == ["completed", "completed", "error", "completed"]
    stage.model.assert_all_accepted()
    stage.model.push("The fifth answer.")
    with stage.app("-c") as app:
        app.wait_for("The fourth answer.")
        app.type("five\r")
        app.wait_for("The fifth answer.", "ready")
    stage.model.assert_all_accepted()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    place = tmp_path / "small"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_exec_on_a_full_disk_says_so_and_does_not_claim_success(small_disk: Path, model: ServedModel) -> None:
    stage = Stage(small_disk, model)
    model.push("An answer.")
    assert stage.exec("one").returncode == 0
    session, saved = stage.log().parent.name, stage.log().read_bytes()
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 512)
    done = stage.exec("--resume", session, "two")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert stage.log().read_bytes() == saved
    filler.unlink()
    model.push("Another answer.")
    done = stage.exec("--resume", session, "three")
    assert (done.returncode, done.stdout) == (0, "Another answer.\n")
    assert stage.ends()[0] == "completed"
    assert asked(stage) == ["one", "three"]
    model.assert_all_accepted()


def test_a_full_disk_under_any_commands_output_is_one_line(stage: Stage) -> None:
    stage.model.push("The answer.")
    assert stage.exec("go").returncode == 0
    session = stage.log().parent.name
    for arguments in (
        ["sessions", "list"],
        ["sessions", "show", session],
        ["sessions", "export", session],
        ["plugins", "list", "--json"],
        ["doctor"],
    ):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [DSH_TUI, *arguments],
                env=stage.env,
                cwd=stage.project,
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
        assert done.stderr == "dsh-tui: the output can't be written: No space left on device\n", arguments
        assert done.returncode == 1
