"""Plugin: publishes the tool registry and offers its schemas to the system prompt."""

from __future__ import annotations

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.tools.registry import TOOLS, ToolRegistry

name = "tools"
inject = (SYSTEM_PROMPT,)


def apply(ctx: Context, _config: object = None) -> None:
    """Mount `TOOLS` for as long as this plugin lives."""
    registry = ToolRegistry(ctx)
    ctx.provide(TOOLS, registry)
    ctx[SYSTEM_PROMPT].tool_schemas(ctx, registry)
