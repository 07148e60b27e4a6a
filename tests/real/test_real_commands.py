"""The published cases of the bash tool, run through ``exec`` from the model's call to the log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import reply
from tests.real.stage import Stage

CASES = Path(__file__).resolve().parents[2] / "../shared/cases/bash"
FILES = ["s01-stdin", "s02-background-child", "s04-encoding", "s06-env-and-status"]


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
@pytest.mark.parametrize("name", FILES)
def test_a_command_behaves_as_its_case_says(stage: Stage, name: str) -> None:
    steps = json.loads((CASES / f"{name}.json").read_text())["steps"]
    stage.model.push(reply(tool_calls=[("bash", arguments(step)) for step in steps]), "Done.")
    done = stage.exec("--mode", "full", "run them", env={"DEEPSEEK_API_KEY": "sk-canary-0123456789abcdef"})
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    for step, result in zip(steps, stage.facts("tool/result"), strict=True):
        check(step, result["content"][0]["text"], result["meta"])
    assert "sk-canary" not in stage.log().read_text().replace("grep -c sk-canary", "")


def arguments(step: dict[str, Any]) -> dict[str, object]:  # Any: JSON of the cases
    return {"command": step["command"], "description": "A case", "timeoutMs": step["timeout_s"] * 1000}


def check(step: dict[str, Any], text: str, meta: dict[str, Any]) -> None:  # Any: JSON of case and log
    expect, where = step["expect"], (step["command"], text, dict(meta))
    assert meta["durationMs"] <= expect["within_s"] * 1000, where
    if "exit_code" in expect:
        assert meta["exitCode"] == expect["exit_code"], where
    if "signal" in expect:
        assert meta["signal"] == "SIGTERM", where
        assert "SIGTERM" in text, where
    if "timed_out" in expect:
        assert meta["timedOut"] == expect["timed_out"], where
    for words in (*expect.get("stdout_contains", ()), *expect.get("output_contains", ())):
        assert words in text, where
    if expect.get("stdout_equals"):
        assert text.startswith(expect["stdout_equals"].rstrip("\n")), where
    if "lossy_marker" in expect:
        assert ("UTF-8" in text) == expect["lossy_marker"], where
