"""A disk that is full: it is told, nothing acknowledged is lost, and writing goes on when there is room."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.lease.record import LOCK_NAME
from tests.fakes.model_server import reply
from tests.fakes.until import until_then
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
        app.wait_for("✗ cannot save", "✗ failed", "not saved")
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


class Filler:
    """A file that takes all the room there is, until it is taken away."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "filler"

    def fill(self) -> None:
        with self._path.open("wb", buffering=0) as file:
            for size in (65_536, 512):
                with suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def free(self) -> None:
        self._path.unlink()


def test_exec_on_a_full_disk_says_so_and_does_not_claim_success(small_disk: Path, model: ServedModel) -> None:
    stage = Stage(small_disk, model)
    model.push("An answer.")
    assert stage.exec("one").returncode == 0
    session, saved = stage.log().parent.name, stage.log().read_bytes()
    filler = Filler(small_disk)
    filler.fill()
    done = stage.exec("--resume", session, "two")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert stage.log().read_bytes() == saved
    filler.free()
    model.push("Another answer.")
    done = stage.exec("--resume", session, "three")
    assert (done.returncode, done.stdout) == (0, "Another answer.\n")
    assert stage.ends()[0] == "completed"
    assert asked(stage) == ["one", "three"]
    model.assert_all_accepted()


LONG = "All of it. " * 900
"""More than what the last block of a file may still hold."""


def test_the_app_outlives_a_disk_that_fills_in_mid_turn(small_disk: Path, model: ServedModel) -> None:
    stage, filler = Stage(small_disk, model), Filler(small_disk)
    stage.lease(ttl_ms=500, renew_interval_ms=50)
    gate = model.gate()
    model.push(reply(f"The first answer. {LONG}The end.", gate=gate.event, gate_after=1, chunk=60))
    with stage.app(columns=120) as app:
        app.type("one\r")
        app.wait_for("The first")
        app.wait_until(lambda: len(asked(stage)) == 1, "the prompt in the log")
        before = stage.log().read_bytes()
        filler.fill()
        filled = renewed_at(stage)
        gate.open()
        app.wait_for("The end.", "cannot save: No space left on device", "not saved")
        assert stage.log().read_bytes() == before
        app.wait_until(lambda: renewed_at(stage) > filled + 500, "renewals for longer than a lease lasts")
        filler.free()
        model.push("The second answer.")
        app.type("two\r")
        app.wait_for("The second answer.", "ready")
        app.wait_gone("not saved")
        app.wait_until(lambda: stage.ends() == ["completed", "completed"], "both turns in the log")
        gate = model.gate()
        model.push(reply(f"The third answer. {LONG}", gate=gate.event, gate_after=1, chunk=60))
        app.type("three\r")
        app.wait_until(lambda: len(asked(stage)) == 3, "the third prompt in the log")
        filler.fill()
        gate.open()
        app.wait_for("✓ done", "not saved")
        app.press("ctrl+q")
        assert app.wait_exit() == 1
        app.assert_restored()
        assert f"the end of session {stage.log().parent.name} is not saved" in app.text.replace("\n", "")
    filler.free()
    assert stage.log().read_bytes().count(b'"type":"turn/end"') == 2
    assert stage.run("sessions", "verify").returncode == 0
    model.assert_all_accepted()


def renewed_at(stage: Stage) -> int:
    at: int = json.loads(stage.log().with_name(LOCK_NAME).read_bytes())["renewedAt"]
    return at


def test_a_disk_that_fills_under_exec_ends_its_turn_and_the_session_goes_on_later(
    small_disk: Path, model: ServedModel
) -> None:
    stage, filler = Stage(small_disk, model), Filler(small_disk)
    gate = model.gate()
    look = {"command": "touch ran", "description": "Look"}
    model.push(reply(LONG, tool_calls=[("bash", look)], gate=gate.event, gate_after=1, chunk=60))
    running = stage.start_exec("one", "--mode", "full")
    until_then(lambda: any(stage.home.glob("sessions/*/*/session.jsonl")), "a log")
    until_then(lambda: len(asked(stage)) == 1, "the prompt in it")
    filler.fill()
    gate.open()
    out, err = running.communicate(timeout=20)
    assert running.returncode == 1
    assert out.strip() == LONG.strip()
    assert "No space left on device" in err
    assert "Traceback" not in err
    assert not (stage.project / "ran").exists()  # what the log can't tell of has not run
    assert len(model.requests) == 1
    filler.free()
    model.push("And on.")
    assert stage.exec("--resume", stage.log().parent.name, "two").stdout == "And on.\n"
    assert stage.run("sessions", "verify").returncode == 0
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
