"""A chat in plan mode, one whose plan was approved, and one in any mode."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from dsh_tui.engine.projection.calls import called, decided
from dsh_tui.engine.projection.views import CardView, NoticeView, ToolView
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import NOON, chat, command_approval, running, sample_blocks, turn_end

PLAN = """\
# Use the injected clock in the retry

1. Give `Retry.wait` the clock that the session has
2. Replace `time.monotonic()` in **src/retry.py**
3. Run `pytest tests/test_retry.py -q` a hundred times
"""


def plan_call() -> ToolView:
    return called(40, NOON, "call-p", "exit_plan_mode", json.dumps({"plan": PLAN}))


def planning() -> FakeBridge:
    """The second plan waits; the first one came back with words."""
    sent_back = decided(plan_call(), {"outcome": "rejected", "feedback": "In smaller steps."})
    question = replace(
        command_approval("p"),
        call_id="call-p",
        tool="exit_plan_mode",
        verb="Plan",
        subject="Use the injected clock in the retry",
        reason="Approved, the agent goes on in mode ask; plan mode ends then.",
        card=CardView(kind="plan", text=PLAN),
    )
    blocks = [*sample_blocks()[:4], sent_back, replace(plan_call(), state="waiting")]
    return FakeBridge(
        chat(blocks, approvals=[question], status=running(mode="plan", state="waiting", last_activity=None))
    )


def plan_approved() -> FakeBridge:
    """The agent goes on in the mode from before."""
    switch = NoticeView(seq=41, tone="info", text="Mode: edits")
    blocks = [*sample_blocks()[:4], replace(plan_call(), state="ok", summary="approved"), switch]
    return FakeBridge(chat(blocks, status=running(mode="edits", last_activity=NOON + 38_500)))


def in_mode(mode: str) -> Callable[[], FakeBridge]:
    """At rest in a mode."""
    status = running(mode=mode, state="idle", turn_started=None, last_activity=None)
    return lambda: FakeBridge(chat([*sample_blocks()[:7], turn_end()], status=status))
