"""The chat screen with questions in its dock, and the hands that let time pass."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView, CardView, ProposalView
from dsh_tui.widgets.approval_dock import ApprovalDock
from dsh_tui.widgets.approval_head import ApprovalHead
from dsh_tui.widgets.card_text import CardText
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import Hands, app_over, chat, command_approval, started

PROPOSAL = ProposalView(
    rules=("allow bash(git log *)", "allow bash(head *)"),
    past=("git log --oneline | head -5", "git log -3", "git log --stat HEAD~3.. | head"),
    scopes=(
        ("session", "until it ends"),
        ("project", "until you revoke it; kept in .dsh/settings.yaml"),
        ("user", "until you revoke it; kept in your own settings"),
    ),
)


def git_log(identity: str = "a2") -> ApprovalView:
    """A call that a rule can be offered for."""
    return command_approval(identity, "git log --oneline | head -20", "Look at the last changes")


def dangerous(identity: str = "a2", command: str = "rm -rf build/ dist/") -> ApprovalView:
    asked = command_approval(identity, command, "Clean the build folders")
    return replace(asked, danger="deletes files recursively")


def plan(identity: str = "a2") -> ApprovalView:
    text = "# Fix the flaky test\n\n1. Read `tests/test_retry.py`.\n2. Inject the clock.\n"
    asked = command_approval(identity)
    card = CardView(kind="plan", text=text)
    return replace(
        asked, tool="exit_plan_mode", verb="Plan", subject="", card=card, reason="The plan is finished."
    )


@dataclass
class Scene:
    """An app with a pending approval and the clock that the dock looks at."""

    app: DshApp
    pilot: Pilot[None]
    bridge: FakeBridge
    hands: Hands

    @property
    def dock(self) -> ApprovalDock:
        return self.app.chat.dock

    @property
    def draft(self) -> str:
        return self.app.chat.composer.text

    @property
    def card(self) -> CardText:
        return self.dock.query_one(CardText)

    @property
    def head(self) -> str:
        """What stands above the card."""
        lines = self.dock.query_one(ApprovalHead).query(Static)
        return "\n".join(str(line.content) for line in lines if line.display)

    @property
    def shown(self) -> str:
        """The rows of the card that are in view."""
        card = self.card
        return "\n".join(card.render_line(y).text.rstrip() for y in range(card.size.height))

    @property
    def said(self) -> str:
        """The line that the status bar says for a few seconds."""
        return str(self.app.chat.status_bar._notice or "")

    @property
    def answers(self) -> list[AnswerIntent]:
        """What was answered so far."""
        return [asked[2] for asked in self.bridge.asked if asked[0] == "answer"]  # type: ignore[misc] # as it was asked

    async def press(self, *keys: str) -> None:
        """Press, and let what it causes be drawn."""
        await self.pilot.press(*keys)
        await self.pilot.pause()
        await self.pilot.pause()

    async def quiet(self, seconds: float) -> None:
        """Let time pass without a key, and let the dock notice."""
        self.hands.pass_(seconds)
        self.dock.tick()
        await self.pilot.pause()

    async def armed(self) -> None:
        await self.quiet(0.71)
        await self.quiet(0.43)
        assert self.dock.armed


@asynccontextmanager
async def scene(
    *approvals: ApprovalView, draft: str = "", size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Scene]:
    hands = Hands()
    bridge = FakeBridge(chat())
    bridge.proposals = {f"a{number}": PROPOSAL for number in range(1, 10)}
    app = app_over(bridge, hands=hands)
    async with started(app, size) as pilot:
        await pilot.press(*(draft or "x"), *([] if draft else ["backspace"]))  # a key just now
        bridge.change(approvals=approvals or (command_approval(),))
        await pilot.pause()
        yield Scene(app, pilot, bridge, hands)
