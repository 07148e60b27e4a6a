"""Plugin: tells the model which mode it works in, beside the prompt, when that changed.

Durable context and not system prompt: a switch of mode must not cost the provider's cache.
Source: core spec §5 (stability); design §3.16.
"""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.agent.agent import Agent, QueuedMessage
from dsh_tui.engine.agent.decisions import PromptDecision
from dsh_tui.engine.agent.durable_context import framed, with_durable_context
from dsh_tui.engine.agent.events import AGENT_PROMPT_SUBMIT
from dsh_tui.engine.approval.mode_policy import Mode
from dsh_tui.engine.approval.modes import MODES
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Context, Next

name = "mode"
inject = (MODES,)

NOTICES: Final[dict[Mode, str]] = {
    "ask": "Mode: ask. Reading inside the working directory runs at once; the user approves every other "
    "call.",
    "edits": "Mode: edits. Reading and file changes inside the working directory run at once; the user "
    "approves every other call.",
    "plan": "Mode: plan. Change nothing: read, search and think, then answer with a plan that can be carried "
    "out step by step. Calls that would change anything are refused until the user leaves this mode.",
    "full": "Mode: full. Calls run without approval. Be all the more careful with what can't be undone.",
}


def apply(ctx: Context, _config: object = None) -> None:
    """Put the mode beside prompts for as long as this plugin lives."""
    modes = ctx[MODES]

    async def add_mode(
        agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        decision = await following()
        notice = framed("mode", NOTICES[modes.current(agent.session)])
        return with_durable_context(decision, agent.session, name, notice)

    ctx.on(AGENT_PROMPT_SUBMIT, add_mode)
