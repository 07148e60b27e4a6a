"""Bundle: the spine of every agent, without provider, executor, storage or screen.

Source: core spec §12 (agent_core).
"""

from __future__ import annotations

from dsh_tui.engine.agent import plugin as agents
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm import plugin as llm
from dsh_tui.engine.loop import plugin as loop
from dsh_tui.engine.session import plugin as sessions
from dsh_tui.engine.system_prompt import plugin as system_prompt
from dsh_tui.engine.tools import plugin as tools

name = "agent-core"


def apply(ctx: Context, _config: object = None) -> None:
    """Mount the spine. Order carries no meaning; services say who waits for whom."""
    for plugin in (llm, sessions, system_prompt, tools, agents, loop):
        ctx.plugin(plugin)
