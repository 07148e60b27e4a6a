"""Plugin: publishes the tool registry and offers its schemas to the system prompt."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.tools.batch import MOST_AT_ONCE
from dsh_tui.engine.tools.registry import TOOLS, ToolRegistry

name = "tools"
inject = (SYSTEM_PROMPT,)


@dataclass(frozen=True, slots=True)
class ToolsConfig:
    """``most_at_once``: bodies of one step that may run side by side."""

    clock: Clock = SYSTEM_CLOCK
    most_at_once: int = MOST_AT_ONCE


def apply(ctx: Context, config: ToolsConfig | None = None) -> None:
    """Mount `TOOLS` for as long as this plugin lives."""
    config = config or ToolsConfig()
    registry = ToolRegistry(ctx, clock=config.clock, most_at_once=config.most_at_once)
    ctx.provide(TOOLS, registry)
    ctx[SYSTEM_PROMPT].tool_schemas(ctx, registry)
