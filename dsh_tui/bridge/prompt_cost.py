"""What a change of the system prompt or the tools costs the next request, before it is sent.

Asked for when a plugin came, went or was saved: the prompt is put together as the next step would do it,
and its bytes are held against the last request. Source: ux spec §3.2 (cache audit).
"""

from __future__ import annotations

from dsh_tui.bridge.session_history import SessionHistory
from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT


async def prompt_cost(root: Context, agent: Agent, history: SessionHistory) -> str:
    """In one line; empty where the cached prefix stays, or nothing was sent yet."""
    try:
        assembly = await root[SYSTEM_PROMPT].assemble(agent)
    except HarnessError:
        return ""  # the next step fails with it, and says so
    wanted = agent.options
    now = (wanted.provider or "", wanted.model or "", wanted.effort or "")
    view = await history.forecast_prompt(now, assembly.system, assembly.tools)
    return view.words if view is not None and view.why else ""
