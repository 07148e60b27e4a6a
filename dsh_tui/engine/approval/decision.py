"""One decision out of two: what the mode says of a call, and what the rules say. Pure.

A deny rule wins over everything, a mode's refusal over every other rule. An ask rule asks in every
mode. An allow rule answers the mode's own question and nobody else's; not whether a call may leave the
sandbox. Source: design §3.15, §3.16.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.permissions.book import Judgement
from dsh_tui.engine.sandbox.escalation import ESCALATION
from dsh_tui.engine.tools.decisions import BY_MODE, Allow, Ask, Deny, PreDecision


@dataclass(frozen=True, slots=True)
class Ruled:
    """A decision, and whether a rule made it without a question."""

    decision: PreDecision
    by_rule: bool = False


def combine(by_mode: PreDecision, judgement: Judgement) -> Ruled:
    """The decision on a call before any hook has spoken."""
    rule = judgement.rule
    decision = judgement.verdict.decision if judgement.by else None
    if rule is not None and decision == "deny":
        return Ruled(Deny(_refusal(rule.body, judgement)), by_rule=True)
    if isinstance(by_mode, Deny):
        return Ruled(by_mode)
    if isinstance(by_mode, Ask) and by_mode.by == ESCALATION:
        return Ruled(by_mode)  # asks anyway, and says what else the answer would allow
    if decision == "ask":
        return Ruled(Ask(judgement.verdict.why, by=judgement.by))
    if decision == "allow" and isinstance(by_mode, Ask) and by_mode.by == BY_MODE:
        return Ruled(Allow(), by_rule=True)
    return Ruled(by_mode)


def _refusal(body: str, judgement: Judgement) -> str:
    whose = {"session": "for this session", "project": "for this project", "user": "by the user"}
    return (
        f"This call is denied by a rule set {whose[judgement.scope or 'user']}: {body}. It did not run, and "
        "no other form of it will. Go on without it, or say in your answer what is left undone."
    )
