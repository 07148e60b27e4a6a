"""A question and its answer as they stand in the log. Source: core spec §6 (Ask); design §3.15."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.tools.decisions import ApprovalOutcome

if TYPE_CHECKING:
    from dsh_tui.engine.permissions.book import Scope


@dataclass(frozen=True, slots=True)
class Decided:
    """How a question ended, by whom, and what rules are kept with it."""

    outcome: ApprovalOutcome
    by: str
    rules: tuple[Rule, ...] = ()
    scope: Scope = "session"


def is_sound(answer: Answer) -> bool:
    """Whether it holds what its types say; answerers may be plugins."""
    match answer:
        case Answer(
            outcome="allowed-once" | "rejected",
            feedback=str() | None,
            by=str(),
            rules=tuple(),
            scope="session" | "project" | "user",
            replacement=str() | None,
        ):
            return all(isinstance(rule, Rule) for rule in answer.rules)
    return False


def decided_by(answer: Answer) -> Decided:
    """What an answer comes to. Rules come with an allow only, a replacement with a refusal only."""
    by, feedback = answer.by or "user", answer.feedback or None
    if answer.outcome == "rejected":
        return Decided(ApprovalOutcome("rejected", feedback, answer.replacement or None), by)
    return Decided(ApprovalOutcome(answer.outcome, feedback), by, answer.rules, answer.scope)


def asked_data(request: ApprovalRequest) -> dict[str, object]:
    """Data of ``approval/asked``."""
    data: dict[str, object] = {
        "id": request.id,
        "callId": request.call_id,
        "toolName": request.tool_name,
        "arguments": request.arguments,
        "reason": request.reason,
        "cwd": str(request.cwd),
        "by": request.by,
    }
    if request.preview is not None:
        data["preview"] = request.preview
    if request.danger:
        data["danger"] = request.danger
    if request.place is not None:
        index, of = request.place
        data["place"] = {"index": index, "of": of}
    if request.agent:
        data["agent"] = request.agent
    return data


def decided_data(request: ApprovalRequest, decided: Decided) -> dict[str, object]:
    """Data of ``approval/decided``."""
    data: dict[str, object] = {
        "id": request.id,
        "callId": request.call_id,
        "outcome": decided.outcome.outcome,
        "by": decided.by,
    }
    if decided.outcome.feedback is not None:
        data["feedback"] = decided.outcome.feedback
    if decided.outcome.replacement is not None:
        data["replacement"] = decided.outcome.replacement
    if decided.rules:
        data["rules"] = [rule.text for rule in decided.rules]
        data["scope"] = decided.scope
    return data
