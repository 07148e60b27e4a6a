"""Decisions: the only way a listener steers a tool call.

Before the body: `Allow`, `Deny` or `Ask`; nobody rewrites arguments, so that what was
approved is what runs. After it: `Accept` or `Block`. Source: core spec §6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dsh_tui.engine.llm.blocks import Block as ContentBlock

if TYPE_CHECKING:
    from dsh_tui.engine.agent.decisions import HookContext


BY_MODE: Final = "mode"
"""``by`` of the questions that a session's mode asks: the only ones that a rule may answer."""


@dataclass(frozen=True, slots=True)
class Allow:
    """Run the call."""


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not run it. ``reason`` is what the model reads."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Run it only if a person says so. ``reason`` is one sentence for that person.

    ``by`` says who asks, so that a rule may answer for the mode and never for a hook.
    """

    reason: str
    by: str = "plugin"


PreDecision: TypeAlias = Allow | Deny | Ask

Outcome: TypeAlias = Literal["allowed-once", "rejected", "cancelled", "unavailable"]


@dataclass(frozen=True, slots=True)
class ApprovalOutcome:
    """How a question ended. Only ``allowed-once`` lets the call run; the words go to the model."""

    outcome: Outcome
    feedback: str | None = None
    replacement: str | None = None
    """What the person wants to run instead of what they refused."""


def strictest(first: PreDecision, second: PreDecision) -> PreDecision:
    """Deny beats ask beats allow; of two alike the first stays."""
    return second if _RANK[type(second)] > _RANK[type(first)] else first


_RANK: dict[type[PreDecision], int] = {Allow: 0, Ask: 1, Deny: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Keep the result, perhaps with other content, perhaps with more for the model to know."""

    content: str | tuple[ContentBlock, ...] | None = None
    additional_context: tuple[HookContext, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Tell the model that the result does not stand, and why. What ran, ran."""

    feedback: str
    additional_context: tuple[HookContext, ...] = ()


PostDecision: TypeAlias = Accept | Block
