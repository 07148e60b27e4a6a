"""Plugin: the agent loop, mounted as the factory of the agent registry."""

from __future__ import annotations

from dsh_tui.engine.agent.registry import AGENTS
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.loop.factory import LoopFactory
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.tools.registry import TOOLS

name = "agent-loop"
# Persistence and the default model are asked for with `get`: an app without them must start too.
inject = (AGENTS, SESSIONS, LLM, SYSTEM_PROMPT, TOOLS)


def apply(ctx: Context, _config: object = None) -> None:
    """Provide agents for as long as this plugin lives."""
    ctx[AGENTS].set_factory(ctx, LoopFactory(ctx))
