"""Plugin: publishes the agent registry."""

from __future__ import annotations

from dsh_tui.engine.agent.registry import AGENTS, AgentRegistry
from dsh_tui.engine.kernel import Context

name = "agents"


def apply(ctx: Context, _config: object = None) -> None:
    """Mount `AGENTS` for as long as this plugin lives."""
    ctx.provide(AGENTS, AgentRegistry())
