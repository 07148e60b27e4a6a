"""The collected shell cases, run through the real tool where the collection is present."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workbench import ENVIRON, Answer, Workbench, open_workbench

CASES = Path(__file__).resolve().parents[3] / "../shared/cases"
SLOW = 2
"""All limits are stretched by this: test machines are not quiet."""

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the case collection is not here")


def steps(name: str) -> list[dict[str, Any]]:  # Any: JSON of the collection
    path = CASES / "bash" / name
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["steps"] if path.is_file() else []
    return found


async def step(work: Workbench, case: dict[str, Any]) -> Answer:
    extra = {"workdir": case["workdir"]} if "workdir" in case else {}
    started = time.monotonic()
    answer = await work.call(
        "bash", command=case["command"], description="d", timeoutMs=case["timeout_s"] * 1000, **extra
    )
    assert time.monotonic() - started < case["expect"]["within_s"] * SLOW
    check(answer, case["expect"])
    return answer


def check(answer: Answer, expected: dict[str, Any]) -> None:
    out = answer.text.partition("[stderr]\n")[0]
    for key in ("exit_code", "timed_out"):
        if key in expected:
            assert answer.meta[{"exit_code": "exitCode", "timed_out": "timedOut"}[key]] == expected[key]
    if "signal" in expected:
        assert (expected["signal"], answer.meta["signal"]) == (15, "SIGTERM")
    assert all(part in out for part in expected.get("stdout_contains", ()))
    assert all(part in answer.text for part in expected.get("output_contains", ()))
    assert not any(part in out for part in expected.get("stdout_not_contains", ()))
    if "stdout_equals" in expected:
        shown = expected["stdout_equals"].removesuffix("\n") or "(no output)"
        assert answer.text.partition("\n[")[0] == shown
    if "lossy_marker" in expected:
        assert ("not valid UTF-8" in answer.text) is expected["lossy_marker"]
    if "max_kept_bytes" in expected:
        assert len(answer.text.encode()) <= expected["max_kept_bytes"]


@pytest.mark.parametrize(
    "case",
    steps("s01-stdin.json") + steps("s02-background-child.json") + steps("s04-encoding.json"),
    ids=lambda case: str(case["command"]),
)
async def test_each_published_command_does_what_its_case_says(case: dict[str, Any], work: Workbench) -> None:
    await step(work, case)


def resident() -> int:
    """Bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def test_floods_are_bounded(work: Workbench) -> None:
    endless, long = steps("s03-flood.json")
    before = resident()
    answer = await step(work, endless)
    grown = (resident() - before) / 1e6
    assert grown < endless["expect"]["rss_growth_max_mb"]
    assert "[output truncated" in answer.text
    answer = await step(work, long)
    assert "\n2000000\n[output truncated" in answer.text
    assert Path(answer.meta["spillPath"]).read_text().startswith("1\n2\n")


async def test_a_directory_that_goes_and_comes_back(work: Workbench) -> None:
    for case in steps("s05-deleted-cwd.json"):
        if "outside" in case:
            away = work.cwd.with_name("P2")
            source, target = (work.cwd, away) if work.cwd.exists() else (away, work.cwd)
            source.rename(target)
            continue
        answer = await step(work, case)
        if "one_of" in case["expect"]:
            assert answer.failed
            assert str(work.cwd / case.get("workdir", "")) in answer.text


async def test_no_secret_gets_out_and_no_status_gets_lost(tmp_path: Path) -> None:
    environ = {**ENVIRON, "DEEPSEEK_API_KEY": "sk-canary-0123456789abcdef"}
    async with open_workbench(tmp_path, environ=environ) as work:
        for case in steps("s06-env-and-status.json"):
            await step(work, case)
