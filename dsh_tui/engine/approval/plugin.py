"""Plugin: publishes approval and modes, and lets them decide on every tool call."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.approval.mode_policy import DEFAULT_MODE, Mode, decide
from dsh_tui.engine.approval.modes import MODES, Modes
from dsh_tui.engine.approval.service import APPROVAL, Approval
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.tools.decisions import ApprovalOutcome, Deny, PreDecision, strictest
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.events import ASK, PRE_EXECUTE

name = "approval"


@dataclass(frozen=True, slots=True)
class ApprovalConfig:
    """``mode`` is for sessions whose log names none: the user's own settings or the command line."""

    mode: Mode = DEFAULT_MODE


def apply(ctx: Context, config: ApprovalConfig | None = None) -> None:
    """Mount `APPROVAL` and `MODES` for as long as this plugin lives."""
    approval = Approval(ctx)
    modes = Modes(ctx, default=(config or ApprovalConfig()).mode)

    async def by_mode(call: ToolCall, definition: AnyTool, following: Next[PreDecision]) -> PreDecision:
        decision = decide(modes.admit(call), call, definition)
        if isinstance(decision, Deny):
            return decision
        return strictest(decision, await following())

    async def by_person(
        call: ToolCall, definition: AnyTool, reason: str, _following: Next[ApprovalOutcome]
    ) -> ApprovalOutcome:
        return await approval.request(call, definition, reason)

    ctx.provide(APPROVAL, approval)
    ctx.provide(MODES, modes)
    ctx.on(PRE_EXECUTE, by_mode)
    ctx.on(ASK, by_person)
