"""Escalation: the two fields by which one call asks to run outside the sandbox, once.

Both or neither; what is asked for must be wider than what holds, and a person must have said yes to
that very call. Its arguments never change, so what was approved is what runs.
Source: capabilities B1 (+E), B4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self, cast

from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from dsh_tui.engine.sandbox.bounds import POLICIES, Wider
from dsh_tui.engine.tools.definition import ToolCall
from dsh_tui.engine.tools.errors import ToolError

ESCALATION: Final = "sandbox"
"""``by`` of the question whether a call may leave the sandbox: no rule answers it."""
MAX_JUSTIFICATION: Final = 500
"""Characters."""


class EscalationError(ToolError):
    """A call asked to leave the sandbox in a way that can't be granted; it did not run."""

    code = "SANDBOX_ESCALATION"


class Escalation(BaseModel):
    """The fields, for the arguments of a tool that can be confined."""

    sandbox_permissions: Wider | None = Field(
        default=None,
        description="Only to repeat a call that the sandbox refused: what this one call needs. "
        "The user is asked. Needs `justification`.",
    )
    justification: str | None = Field(
        default=None,
        max_length=MAX_JUSTIFICATION,
        description="With `sandbox_permissions`: one sentence for the user on why the call needs it.",
    )

    @field_validator("justification")
    @classmethod
    def _says_something(cls, value: str | None) -> str | None:
        if value is not None and not value.strip():
            raise PydanticCustomError("reason", "must say why the call needs it")
        return value

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.sandbox_permissions is None) != (self.justification is None):
            raise PydanticCustomError(
                "both", "give both `sandbox_permissions` and `justification`, or neither"
            )
        return self


def policy_asked(args: BaseModel) -> Wider | None:
    """What validated arguments ask for; None where their tool has no such fields."""
    return args.sandbox_permissions if isinstance(args, Escalation) else None


def in_preview(args: BaseModel) -> dict[str, str]:
    """What the card for the person adds."""
    asked = policy_asked(args)
    return {} if asked is None else {"sandbox": asked}


@dataclass(frozen=True, slots=True)
class Request:
    """What a call asks for, and why, in its own words on one line."""

    policy: Wider
    justification: str


def requested(args: object) -> Request | None:
    """What these arguments, valid ones, ask for."""
    if not isinstance(args, Mapping):
        return None
    policy, words = args.get("sandbox_permissions"), args.get("justification")
    if policy not in POLICIES or not isinstance(words, str):
        return None
    return Request(cast("Wider", policy), " ".join(words.split()))


def was_approved(call: ToolCall) -> bool:
    """True if the log says that a person let this very call run in this step."""
    for event in reversed(call.session.events):
        if event.type == "approval/decided" and event.data["callId"] == call.call_id:
            return bool(event.data["outcome"] == "allowed-once")
        if event.type == "step/start":
            break
    return False
