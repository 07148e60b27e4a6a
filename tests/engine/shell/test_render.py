"""What a model reads of a command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dsh_tui.engine.shell.render import render_progress, render_result
from dsh_tui.engine.shell.seam import ShellResult, StreamOutput

FINE = ShellResult(
    exit_code=0,
    signal=None,
    timed_out=False,
    aborted=False,
    timeout_ms=1000,
    duration_ms=5,
    stdout=StreamOutput(text="out\n"),
    stderr=StreamOutput(text=""),
)
NOTHING = StreamOutput(text="")


def test_output_comes_first_then_stderr_then_the_status() -> None:
    assert render_result(FINE) == "out"
    assert render_result(replace(FINE, stdout=NOTHING)) == "(no output)"
    failed = replace(FINE, exit_code=2, stderr=StreamOutput(text="err\n"))
    assert render_result(failed) == "out\n[stderr]\nerr\n[exit code: 2]"


def test_markers_come_in_one_order_and_the_status_is_last() -> None:
    cut = StreamOutput(text="end\n", truncated=True, spill_path=Path("/s/f.txt"), lossy=True)
    killed = replace(FINE, stdout=cut, exit_code=None, signal="SIGKILL", timed_out=True, leftovers="stopped")
    assert render_result(killed).splitlines() == [
        "end",
        "[output truncated; full output: /s/f.txt]",
        "[output was not valid UTF-8; \ufffd stands for the bytes replaced]",
        "[background processes were stopped when the command ended; use run_in_background to keep one]",
        "[timed out after 1000ms]",
        "[killed by signal: SIGKILL]",
    ]


def test_a_timeout_is_told_even_after_a_good_exit() -> None:
    assert render_result(replace(FINE, timed_out=True)) == "out\n[timed out after 1000ms]"


def test_progress_ends_with_the_status() -> None:
    assert render_progress(NOTHING, NOTHING, None) == "(no new output)\n[status: running]"
    assert render_progress(StreamOutput(text="x\n"), NOTHING, FINE) == "x\n[status: completed, exit code: 0]"
    dead = replace(FINE, exit_code=None, signal="SIGTERM")
    assert render_progress(NOTHING, NOTHING, dead).endswith("[status: killed by SIGTERM]")
