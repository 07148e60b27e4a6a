"""Decisions: what listeners of the ``agent/*`` seams answer with.

Small closed unions, one a seam, so that a hook bridge maps its fields onto them and the loop
matches them exhaustively. Source: core spec §7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dsh_tui.engine.llm.blocks import Block
from dsh_tui.engine.llm.messages import Source


@dataclass(frozen=True, slots=True)
class HookContext:
    """Content a listener adds to the history, and who it was. Becomes a ``context/message``."""

    content: tuple[Block, ...]
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowPrompt:
    """The prompt enters the history, rewritten where ``content`` is given."""

    content: tuple[Block, ...] | None = None
    additional_context: tuple[HookContext, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockPrompt:
    """The prompt is dropped and logged as ``prompt/blocked``."""

    reason: str


PromptDecision: TypeAlias = AllowPrompt | BlockPrompt


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask again within the same step, with the very same messages."""


@dataclass(frozen=True, slots=True)
class RetryStep:
    """Close the step and open the next. Required when the listener changed what the model sees."""


RequestErrorDecision: TypeAlias = Retry | RetryStep | None
"""``None``: the failure stands and ends the turn."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The turn ends after this step, unless steering waits."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Another step follows; a ``reason`` is logged as steering for it."""

    reason: str | None = None


ContinuationDecision: TypeAlias = Stop | Continue
