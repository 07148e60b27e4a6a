"""Mode sandbox in the program itself: its commands, its file tools, and its exit status."""

from __future__ import annotations

import pytest

from dsh_tui.engine.sandbox.backends import first_working, system_backends
from dsh_tui.engine.sandbox.seam import SandboxUnavailableError
from tests.fakes.model_server import reply
from tests.real.stage import Stage, rows


def test_exec_keeps_what_it_runs_inside_and_leaving_needs_somebody(stage: Stage) -> None:
    try:
        first_working(system_backends())
    except SandboxUnavailableError as error:
        pytest.skip(error.message)
    outside = stage.home.parent / "outside"
    outside.mkdir()
    steal = f"echo in > in; echo x > {stage.home}/settings.yaml; echo x > {outside}/f"
    leave = {"sandbox_permissions": "danger-full-access", "justification": "It must."}
    stage.model.push(
        reply(
            "",
            tool_calls=[
                ("bash", {"command": steal, "description": "Try"}),
                ("write", {"file_path": f"{outside}/g", "content": "x"}),
                ("bash", {"command": f"touch {outside}/h", "description": "Leave", **leave}),
            ],
        ),
        "Done.",
    )
    done = stage.exec("--mode", "sandbox", "go")
    assert (done.returncode, done.stdout) == (3, "Done.\n")
    assert f"touch {outside}/h" in done.stderr
    results = [row["data"] for row in rows(stage.log().read_text()) if row.get("type") == "tool/result"]
    assert "[sandbox: file access denied under workspace-write mode]" in results[0]["content"][0]["text"]
    assert [result.get("error", {}).get("code") for result in results] == [
        None,
        "FS_SANDBOX_DENIED",
        "APPROVAL_UNAVAILABLE",
    ]
    assert list(outside.iterdir()) == []
    assert "x" not in (stage.home / "settings.yaml").read_text().split()
