"""Every screen in two sizes and two themes. Look at a new picture before you accept it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.permission_views import DryRunView
from dsh_tui.engine.projection.trust_views import TrustEntry, TrustQuestion
from dsh_tui.engine.projection.views import ModelRow, TodoView
from dsh_tui.theme import DARK, LIGHT
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import (
    NOON,
    Hands,
    chat,
    command_approval,
    edit_approval,
    running,
    sample_blocks,
    sample_sessions,
    turn_end,
)
from tests.fakes.fake_permissions import sample_decisions, sample_rules
from tests.fakes.history_chat import first_turn, with_history
from tests.fakes.plan_chat import in_mode, plan_approved, planning
from tests.snapshots.pictures import SIZES, Compare, Steps, arm, keys, nothing, shoot, then

IDLE = running(state="idle", turn_started=None, last_activity=None)
TODOS = (
    TodoView("Read the test and the clock", "completed"),
    TodoView("Use the injected clock in wait()", "in_progress"),
    TodoView("Run the test a hundred times", "pending"),
)
MODELS = [
    ModelRow("deepseek", "deepseek-flash", ("off", "low", "medium", "high"), "high", 128_000, True),
    ModelRow("deepseek", "deepseek-v4-pro", ("off", "low", "medium", "high", "max"), "high", 256_000),
    ModelRow("local", "qwen3-coder-30b", (), "", 32_768),
]


def empty() -> FakeBridge:
    return FakeBridge()


def answered() -> FakeBridge:
    return FakeBridge(chat([*sample_blocks()[:7], turn_end()], status=IDLE))


def working() -> FakeBridge:
    status = running(last_activity=NOON + 38_500)
    return FakeBridge(chat(todos=TODOS, queue=["also check the jitter"], status=status))


def asking() -> FakeBridge:
    return FakeBridge(chat(approvals=[edit_approval(), command_approval()], queue=["also check the jitter"]))


def asking_for_a_long_command() -> FakeBridge:
    command = (
        "ls"
        + " " * 200
        + "; rm -rf x\n"
        + "\n".join(f"echo step {n}" for n in range(40))
        + "\necho \u202e\x1b"
    )
    return FakeBridge(chat(approvals=[command_approval(command=command, description="Clean up")]))


def first_run() -> FakeBridge:
    bridge = FakeBridge(chat([*sample_blocks()[:7], turn_end()], status=IDLE, read_only="recording"))
    bridge.access.needs_key = True
    return bridge


def with_sessions() -> FakeBridge:
    bridge = answered()
    bridge.library.rows = sample_sessions()
    bridge.library.previews = {"s1": sample_blocks(), "s4": sample_blocks()}
    bridge.library.said = {
        "s3": "the retry must carry its key",
        "s4": "one retry a minute, then rates are stale",
    }
    return bridge


def without_directory() -> FakeBridge:
    bridge = answered()
    gone = "/work/payments-api-old is gone"
    bridge.change(lost_directory=gone, read_only=f"{gone} · /directory gives this session another")
    return bridge


def with_untrusted_files() -> FakeBridge:
    bridge = answered()
    plugin = (Path(__file__).parents[2] / "docs/examples/word_count.py").read_text()
    rules = "permissions:\n  allow: [bash(make test)]\nbase_url: http://elsewhere\n"
    note = "base_url: never taken from a project"
    bridge.trust.asking = TrustQuestion(
        id="q1",
        project="/work/payments-api",
        entries=(
            TrustEntry(
                kind="plugin", path=".dsh/plugins/word_count.py", size=2_988, state="changed", text=plugin
            ),
            TrustEntry(kind="plugin", path=".dsh/plugins/lint.py", size=812, state="new", text=plugin),
            TrustEntry(kind="rules", path=".dsh/settings.yaml", size=84, state="new", text=rules, note=note),
            TrustEntry(kind="instructions", path="AGENTS.md", size=14_210, state="trusted", text="# Rules"),
        ),
        never=(
            (".dsh/plugins/o\u202eut.py", "leads out of the project, to /etc/passwd"),
            (".dsh/skills", "skills are not supported yet; nothing loads them"),
        ),
    )
    return bridge


async def ask_for_trust(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, DshApp)
    assert isinstance(app.monotonic, Hands)
    await pilot.press(*"/trust", "enter")
    await app.workers.wait_for_complete()
    await pilot.pause()
    app.monotonic.pass_(1)
    await pilot.press("right")
    await pilot.pause()


async def look_at_rules(pilot: Pilot[None]) -> None:
    await ask_for_trust(pilot)
    await pilot.press("down", "down")


def with_models() -> FakeBridge:
    bridge = answered()
    bridge.model_rows = MODELS
    return bridge


def with_permissions() -> FakeBridge:
    bridge = answered()
    bridge.permissions.held = sample_rules()
    bridge.permissions.decided = sample_decisions()
    covered = tuple(row for row in reversed(sample_decisions()) if "git log" in row.call)
    summary = "would allow 2 of 8, among them 1 you refused"
    bridge.permissions.runs["allow bash(git log *)"] = DryRunView(summary, covered)
    return bridge


SCENES: dict[str, tuple[Callable[[], FakeBridge], Steps]] = {
    "empty": (empty, nothing),
    "answered": (answered, nothing),
    "working": (working, keys("ctrl+t")),
    "asking": (asking, nothing),
    "armed": (asking, arm),
    "long-command": (asking_for_a_long_command, arm),
    "full-view": (asking_for_a_long_command, then(arm, keys("f"))),
    "first-run": (first_run, nothing),
    "key-entry": (first_run, keys("1", "s", "k")),
    "sessions": (with_sessions, keys("ctrl+x", "l")),
    "sessions-search": (with_sessions, keys("ctrl+x", "l", "/", *"retry")),
    "sessions-all": (with_sessions, keys("ctrl+x", "l", "tab")),
    "lost-directory": (without_directory, nothing),
    "models": (with_models, keys("ctrl+x", "m")),
    "help": (answered, keys("f1")),
    "palette": (answered, keys("ctrl+p")),
    "commands": (answered, keys("/")),
    "find": (answered, keys("ctrl+f", *"clock", "enter")),
    "own-command": (answered, keys("ctrl+o", *"!git status")),
    "permissions": (with_permissions, keys("ctrl+x", "u", "tab", "tab", "down", "down")),
    "permissions-try": (with_permissions, keys("ctrl+x", "u", "down", "down", "enter")),
    "timeline": (with_history, keys("ctrl+x", "g")),
    "timeline-back": (with_history, keys("ctrl+x", "g", "left", "left", "left", "down", "down")),
    "request": (with_history, keys("ctrl+x", "i")),
    "request-drop": (with_history, keys("ctrl+x", "i", "up", "up")),
    "request-diff": (with_history, keys("ctrl+x", "i", "up", "up", "up", "d")),
    "request-part": (with_history, keys("ctrl+x", "i", "right", "down", "down", "enter")),
    "receipt": (first_turn, keys("ctrl+x", "v", "enter")),
    "cut-turn": (with_history, nothing),
    "trust": (with_untrusted_files, ask_for_trust),
    "trust-rules": (with_untrusted_files, look_at_rules),
    "planning": (planning, arm),
    "plan-approved": (plan_approved, nothing),
    "mode-sandbox": (in_mode("sandbox"), nothing),
    "mode-full": (in_mode("full"), nothing),
    "full-access": (answered, keys(*"/full", "enter")),
}


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("name", SCENES)
def test_it_looks_as_it_was_accepted(
    snap_compare: Compare, name: str, size: tuple[int, int], theme: str
) -> None:
    shoot(snap_compare, *SCENES[name], size, theme)


@pytest.mark.parametrize(
    ("name", "size"),
    [("empty", (20, 5)), ("asking", (20, 5)), ("asking", (40, 12)), ("long-command", (40, 12))],
)
def test_small_windows_look_as_they_were_accepted(
    snap_compare: Compare, name: str, size: tuple[int, int]
) -> None:
    shoot(snap_compare, *SCENES[name], size, DARK)
