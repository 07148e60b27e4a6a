"""Approval requests: what a person is asked, and what they may answer.

Source: core spec §6 (Ask); capabilities F.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.tools.decisions import BY_MODE

if TYPE_CHECKING:
    from dsh_tui.engine.permissions.book import Scope
    from dsh_tui.engine.permissions.rule import Rule
    from dsh_tui.engine.tools.definition import AnyTool, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One call that waits for a person. Exactly one ``approval/decided`` of this id follows."""

    id: str
    session_id: str
    reason: str
    """One sentence for the person; never sent to the model."""
    preview: JsonObject | None
    """A card (JSON): the diff or the command that the answer covers."""
    call: ToolCall
    definition: AnyTool
    by: str = "plugin"
    """Who asks: ``mode``, the text of a rule, or a plugin."""
    danger: str = ""
    """What is known to be dangerous in the call; empty if nothing is."""
    place: tuple[int, int] | None = None
    """``(index, of)`` among the calls of its step that ask; 1-based."""
    agent: str = ""
    """Path of a subagent; empty for the main agent."""

    @property
    def call_id(self) -> str:
        return self.call.call_id

    @property
    def tool_name(self) -> str:
        return self.call.name

    @property
    def arguments(self) -> str:
        return self.call.arguments

    @property
    def cwd(self) -> Path:
        return self.call.cwd


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answerer says. ``by`` goes into the log; ``feedback`` goes to the model.

    ``rules`` are of the call's own proposal and are kept for ``scope``, beside the allow of this
    one call. ``replacement`` is what the person wants to run instead of what they refuse.
    """

    outcome: Literal["allowed-once", "rejected"]
    feedback: str | None = None
    by: str = "user"
    rules: tuple[Rule, ...] = ()
    scope: Scope = "session"
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A call that was refused because nobody could be asked."""

    session_id: str
    call_id: str
    tool_name: str
    arguments: str
    reason: str
    rules: tuple[Rule, ...] = ()
    """What would have let it run; empty if no rule could."""
    asked_by: str = BY_MODE
    """Who asked: the mode, the text of a rule, or a plugin."""


Answerer: TypeAlias = Callable[[ApprovalRequest, CancelSignal], Awaitable[Answer]]
"""Waits for a person. The signal says that the answer no longer counts."""
