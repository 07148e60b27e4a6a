"""Sample sessions to look at, and an app over a `FakeBridge` with clocks that tests own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.cost import CostView
from dsh_tui.engine.projection.views import (
    AnswerView,
    ApprovalView,
    BlockView,
    CardView,
    ChatView,
    DiffHunk,
    DiffView,
    SessionRow,
    StatusView,
    ThinkingView,
    TodoView,
    ToolView,
    TurnEndView,
    UserView,
)
from dsh_tui.screens.ports import ChatPort
from dsh_tui.theme import DARK
from tests.fakes.fake_bridge import FakeBridge

NOON = 1_763_042_520_000
"""Epoch ms that every sample is dated to."""
CWD = "/work/payments-api"


class Hands:
    """A monotonic clock that only moves when told."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds


def app_over(bridge: FakeBridge, *, theme: str = DARK, hands: Hands | None = None, cwd: str = CWD) -> DshApp:
    """The app with the fake engine: boots at once, wall time stands still."""

    async def boot(app: DshApp) -> ChatPort:
        bridge.post = app.post_view
        app.chat.composer.guards_bursts = False  # a pilot types faster than a person
        return bridge

    return DshApp(boot, cwd=Path(cwd), theme=theme, monotonic=hands or Hands(), now_ms=lambda: NOON + 42_000)


EDIT = DiffView(
    path="src/retry.py",
    added=3,
    removed=1,
    hunks=(
        DiffHunk(
            41,
            41,
            (
                " def wait(self, n):",
                "-    start = time.monotonic()",
                "+    start = self._clock()",
                "+    limit = start + self.backoff(n)",
                "+    self.sleep_until(limit)",
                "     return self._clock() - start",
            ),
        ),
    ),
)
ANSWER = """The test reads the clock **twice**, so under load the second read can come late and the \
measured backoff comes out short by a fraction.

1. `wait()` takes `time.monotonic()` itself, while the test uses the injected clock.
2. The assertion compares both, with no tolerance.

```python
def wait(self, n: int) -> float:
    start = self._clock()
```

I'll use the injected clock in both places and run the test again.
"""


def sample_blocks() -> list[BlockView]:
    """A turn with everything in it that a transcript shows."""
    return [
        UserView(seq=1, text="Why does test_retry flake on CI? Find the cause and fix it.", time=NOON),
        ThinkingView(
            seq=2,
            text="The clock is read twice, so the backoff can come out short",
            done=True,
            duration_ms=6_000,
            started=NOON,
        ),
        AnswerView(seq=3, text="I'll look at the test and at how the clock gets in.", done=True),
        tool(4, "read", "Read", "tests/test_retry.py", summary="80 lines", duration_ms=12),
        tool(5, "grep", "Search", '"monotonic"', summary="3 in 2 files", duration_ms=31),
        tool(
            6,
            "bash",
            "Run",
            "pytest tests/test_retry.py -q",
            state="failed",
            summary="exit 1",
            duration_ms=2_400,
            output="FAILED tests/test_retry.py::test_backoff - assert 0.199 >= 0.2\n1 failed in 2.21s",
        ),
        AnswerView(seq=7, text=ANSWER, done=True),
        tool(8, "edit", "Edit", "src/retry.py", state="waiting", summary="+3 −1", diff=EDIT),
    ]


def tool(seq: int, name: str, verb: str, subject: str, **rest: object) -> ToolView:
    """A tool call in short."""
    view = ToolView(
        seq=seq,
        call_id=f"c{seq}",
        name=name,
        verb=verb,
        subject=subject,
        state="ok",
        arguments="{}",
        started=NOON,
    )
    return replace(view, **rest)  # type: ignore[arg-type] # the fields of ToolView


def edit_approval(identity: str = "a1") -> ApprovalView:
    return ApprovalView(
        id=identity,
        call_id="c8",
        tool="edit",
        verb="Edit",
        subject="src/retry.py",
        reason="The mode asks before files change.",
        card=CardView(kind="diff", diff=EDIT),
        cwd=CWD,
    )


def command_approval(identity: str = "a2", command: str = "pytest -q", description: str = "") -> ApprovalView:
    return ApprovalView(
        id=identity,
        call_id=f"call-{identity}",
        tool="bash",
        verb="Run",
        subject=command,
        reason="The mode asks before commands run.",
        card=CardView(kind="command", text=command, cwd=CWD, description=description),
        cwd=CWD,
    )


def running(**rest: object) -> StatusView:
    values: dict[str, object] = {
        "model": "deepseek-flash",
        "provider": "deepseek",
        "effort": "high",
        "state": "running",
        "turn_started": NOON,
        "last_activity": NOON + 41_500,
        "context_used": 23_000,
        "context_window": 128_000,
        "cache_percent": 94,
        "tokens_in": 61_400,
        "tokens_out": 3_210,
        "cost": CostView((("USD", 0.0061),)),
        "turns": 4,
    }
    return StatusView(**{**values, **rest})  # type: ignore[arg-type] # the fields of StatusView


def chat(
    blocks: Sequence[BlockView] | None = None,
    *,
    approvals: Sequence[ApprovalView] = (),
    todos: Sequence[TodoView] = (),
    queue: Sequence[str] = (),
    status: StatusView | None = None,
    **rest: object,
) -> ChatView:
    """A session in the middle of work."""
    shown = sample_blocks() if blocks is None else list(blocks)
    view = ChatView(
        session_id="s1",
        title="Fix the flaky retry test",
        cwd=CWD,
        blocks=shown,
        changed_from=0,
        generation=1,
        status=status or running(state="waiting" if approvals else "running"),
        approvals=tuple(approvals),
        todos=tuple(todos),
        queue=tuple(queue),
    )
    return replace(view, **rest)  # type: ignore[arg-type] # the fields of ChatView


def turn_end(seq: int = 9) -> TurnEndView:
    return TurnEndView(
        seq=seq,
        turn=1,
        reason="completed",
        duration_ms=42_000,
        tokens_in=61_400,
        tokens_out=3_210,
        cache_percent=94,
        cost=CostView((("USD", 0.0061),)),
    )


@asynccontextmanager
async def started(app: DshApp, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The app with its engine attached and painted."""
    async with app.run_test(size=size) as pilot:
        while app.bridge is None:
            await pilot.pause()
        await pilot.pause()
        yield pilot


def sample_sessions() -> list[SessionRow]:
    """Sessions of two projects in every state there is."""

    def row(identity: str, title: str, ago_ms: int, turns: int, **rest: object) -> SessionRow:
        made = SessionRow(
            id=identity,
            title=title,
            cwd=CWD,
            project="payments-api",
            created_at=NOON - ago_ms,
            updated_at=NOON - ago_ms,
            turns=turns,
            status="ok",
        )
        return made._replace(**rest)  # type: ignore[arg-type] # the fields of SessionRow

    day = 86_400_000
    infra = {"cwd": "/work/infra", "project": "infra"}
    return [
        row("s1", "Fix the flaky retry test", 0, 42),
        row("s2", "try a fake clock instead", 7_200_000, 7, parent="s1"),
        row("s3", "Add idempotency keys", day, 18),
        row("s4", "Import rates", 5 * day, 3, status="damaged", note="line 88 cannot be read"),
        row("s5", "Rotate the signing key", 8 * day, 9, status="foreign-version", source="dsh", **infra),
        row("s6", "", 400 * day, 1, **infra),
        row("s7", "Währungsrundung prüfen", 9 * day, 1, status="busy"),
    ]
