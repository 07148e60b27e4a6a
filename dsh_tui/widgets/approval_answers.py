"""Which answers a waiting call can be given, with their keys and labels. Pure.

Source: UX spec §4 (recommended bindings: approval).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.projection.views import ApprovalView

Name: TypeAlias = Literal[
    "allow", "session", "always", "deny", "say_why", "full", "explain", "keep", "keep_wider", "back"
]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the characters that give it, and its label from long to short."""

    name: Name
    keys: tuple[str, ...]
    labels: tuple[str, str, str]
    held: bool = False
    """Whether it does not count yet, because something must be read first."""

    def text(self, tier: int) -> str:
        """Key and label as a row shows them."""
        return f" {self.keys[0]} {self.labels[tier]} "


_ALLOW: Final = Answer("allow", ("1", "y"), ("Allow once", "Allow once", "Once"))
_SESSION: Final = Answer("session", ("2",), ("Allow for this session…", "Session…", "Session…"))
_ALWAYS: Final = Answer("always", ("3",), ("Always allow…", "Always…", "Always…"))
_DENY: Final = Answer("deny", ("4", "n"), ("Deny", "Deny", "Deny"))
_SAY_WHY: Final = Answer("say_why", ("5",), ("Deny, and say why…", "Deny, say…", "Say…"))
_FULL: Final = Answer("full", ("f",), ("Full view", "Full", "Full"))
_EXPLAIN: Final = Answer("explain", ("?",), ("Explain", "Why", "Why"))
_APPROVE: Final = Answer("allow", ("1", "y"), ("Approve", "Approve", "Approve"))
_KEEP_PLANNING: Final = Answer("deny", ("4", "n"), ("Keep planning", "Keep planning", "Plan on"))
_SAY_HOW: Final = Answer("say_why", ("5",), ("Keep planning, and say…", "Keep planning, say…", "…and say"))

ALL_KEYS: Final = frozenset("12345ynf?")
"""What answers some call; where it answers none, it is said why."""


def answers_to(approval: ApprovalView, *, read: bool = True) -> tuple[Answer, ...]:
    """What can be answered to a call; ``read`` tells whether it was read in full."""
    if approval.card.kind == "plan":
        return (_APPROVE, _KEEP_PLANNING, _SAY_HOW, _FULL, _EXPLAIN)
    rules: tuple[Answer, ...] = (_SESSION,) if approval.danger else (_SESSION, _ALWAYS)
    if is_empty(approval) or leaves_sandbox(approval):
        rules = ()
    allows = (_ALLOW, *rules)
    if approval.danger and not read:
        allows = tuple(replace(answer, held=True) for answer in allows)
    return (*allows, _DENY, _SAY_WHY, _FULL, _EXPLAIN)


def why_not(approval: ApprovalView, key: str) -> str:
    """Why a key that answers other calls does not answer this one."""
    if approval.card.kind == "plan":
        return "A plan is approved once; 4 keeps planning"
    if is_empty(approval):
        return "There is nothing in it that a rule could allow"
    if leaves_sandbox(approval) and key in "23":
        return "No rule lets a call leave the sandbox: allow each one by itself"
    if approval.danger and key == "3":
        return f"“Always” is not offered for what {approval.danger}"
    return f"{key} does nothing here"


def leaves_sandbox(approval: ApprovalView) -> bool:
    """Whether it is asked because the call wants to leave the sandbox, whatever else it does."""
    return approval.asked_by == "sandbox"


def may_be_always(approval: ApprovalView, scope: str) -> bool:
    """Whether a rule of such a scope may allow it: what is dangerous, for this session at most."""
    return not approval.danger or scope == "session"


def is_empty(approval: ApprovalView) -> bool:
    """Whether a command has nothing to run."""
    return approval.card.kind == "command" and not approval.card.text.strip()


def by_key(answers: Sequence[Answer]) -> dict[str, Answer]:
    """The answers by the characters that give them."""
    return {key: answer for answer in answers for key in answer.keys}
