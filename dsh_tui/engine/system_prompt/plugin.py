"""Plugin: publishes the system prompt service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT, SystemPrompt

name = "system-prompt"


@dataclass(frozen=True, slots=True)
class SystemPromptConfig:
    """``tool_order`` as in `system_prompt.tool_order`; ``None`` sorts by name."""

    tool_order: Sequence[str] | None = None


def apply(ctx: Context, config: SystemPromptConfig | None = None) -> None:
    """Mount `SYSTEM_PROMPT` for as long as this plugin lives."""
    tool_order = config.tool_order if config is not None else None
    ctx.provide(SYSTEM_PROMPT, SystemPrompt(ctx, tool_order=tool_order))
