"""Plugin: publishes approval and modes, and lets modes and rules decide on every tool call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.approval.decision import Ruled, combine
from dsh_tui.engine.approval.mode_policy import decide
from dsh_tui.engine.approval.place import place_of
from dsh_tui.engine.approval.service import APPROVAL, Approval
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.modes.mode import DEFAULT_MODE, Mode
from dsh_tui.engine.modes.modes import MODES, Modes
from dsh_tui.engine.permissions.book import NO_RULE, PERMISSIONS, Judgement
from dsh_tui.engine.tools.decisions import ApprovalOutcome, Ask, Deny, PreDecision, strictest
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.events import ASK, PRE_EXECUTE
from dsh_tui.engine.tools.pipeline import validated
from dsh_tui.engine.tools.registry import TOOLS

name = "approval"


@dataclass(frozen=True, slots=True)
class ApprovalConfig:
    """``mode`` is for sessions whose log names none: the user's own settings or the command line."""

    mode: Mode = DEFAULT_MODE
    kept: tuple[Path, ...] = ()
    """Folders where no change is an ordinary one, wherever they lie: dsh-tui's own home."""


def apply(ctx: Context, config: ApprovalConfig | None = None) -> None:
    """Mount `APPROVAL` and `MODES` for as long as this plugin lives."""
    config = config or ApprovalConfig()
    modes = Modes(ctx, default=config.mode)
    kept = tuple(folder.resolve() for folder in config.kept)

    def ruled(call: ToolCall, definition: AnyTool) -> tuple[Ruled, Judgement]:
        by_mode = decide(modes.admitted(call), call, definition, kept)
        permissions = ctx.get(PERMISSIONS)
        judgement = NO_RULE if permissions is None else permissions.judge(call, definition)
        return combine(by_mode, judgement), judgement

    def would_ask(call: ToolCall) -> bool:
        tools = ctx.get(TOOLS)
        definition = None if tools is None else tools.get(call.agent, call.name)
        if definition is None or isinstance(validated(call, definition), ToolOutput):
            return False
        return isinstance(ruled(call, definition)[0].decision, Ask)

    async def by_mode_and_rules(
        call: ToolCall, definition: AnyTool, following: Next[PreDecision]
    ) -> PreDecision:
        modes.admit(call)
        first, judgement = ruled(call, definition)
        final = first.decision
        if not isinstance(final, Deny):
            final = strictest(final, await following())
        if first.by_rule and final is first.decision and judgement.rule is not None:
            call.session.append("permission/decided", _decided_data(call, judgement, final))
        return final

    async def by_person(
        call: ToolCall, definition: AnyTool, asked: Ask, _following: Next[ApprovalOutcome]
    ) -> ApprovalOutcome:
        return await approval.request(call, definition, asked.reason, by=asked.by)

    approval = Approval(ctx, lambda call: place_of(call, would_ask), kept)
    ctx.provide(APPROVAL, approval)
    ctx.provide(MODES, modes)
    ctx.on(PRE_EXECUTE, by_mode_and_rules)
    ctx.on(ASK, by_person)


def _decided_data(call: ToolCall, judgement: Judgement, decision: PreDecision) -> dict[str, object]:
    assert judgement.rule is not None
    return {
        "callId": call.call_id,
        "toolName": call.name,
        "decision": "deny" if isinstance(decision, Deny) else "allow",
        "rule": judgement.rule.text,
        "scope": judgement.scope,
    }
