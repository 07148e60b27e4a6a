"""Plugin: tells the model which mode it works in, beside the prompt, when that changed.

A switch while a turn runs is told before the next step. Durable context and not system prompt: a
switch of mode must not cost the provider's cache.
Source: core spec §5 (stability); design §3.16.
"""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.agent.agent import Agent, QueuedMessage
from dsh_tui.engine.agent.decisions import PromptDecision
from dsh_tui.engine.agent.durable_context import framed, is_known, with_durable_context
from dsh_tui.engine.agent.events import AGENT_PRE_STEP, AGENT_PROMPT_SUBMIT, PreStep
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.modes.mode import EXIT_PLAN_MODE, Mode
from dsh_tui.engine.modes.modes import MODE_EVENT, MODES
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED, SESSION_EVENT

name = "mode"
inject = (MODES,)

NOTICES: Final[dict[Mode, str]] = {
    "ask": "Mode: ask. Reading inside the working directory runs at once; the user approves every other "
    "call.",
    "edits": "Mode: edits. Reading and file changes inside the working directory run at once; the user "
    "approves every other call.",
    "plan": "Mode: plan. Change nothing: read, search and think. Once you have a plan that can be carried "
    f"out step by step, hand it to the user with `{EXIT_PLAN_MODE}`. Calls that would change anything are "
    "refused while this mode is on.",
    "sandbox": "Mode: sandbox. Commands and file changes run at once, but the system keeps them inside: they "
    "can change files only in the working directory and in $TMPDIR, and nothing in .git or .dsh. Commands "
    "may read anything and use the network, but not the local sockets of other programs (docker, agents). "
    "What is refused fails with a permission error. If a call truly needs more, repeat that one call with "
    "`sandbox_permissions` and one sentence of `justification`; the user decides. The user also approves "
    "every other call, and reading outside the working directory with `read`.",
    "full": "Mode: full. Calls run without approval. Be all the more careful with what can't be undone.",
}


def apply(ctx: Context, _config: object = None) -> None:
    """Put the mode beside prompts for as long as this plugin lives."""
    modes = ctx[MODES]
    switched: set[str] = set()

    def notice_of(session: Session) -> str:
        return framed("mode", NOTICES[modes.current(session)])

    async def add_mode(
        agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        decision = await following()
        return with_durable_context(decision, agent.session, name, notice_of(agent.session))

    def note_switch(session: Session, event: Event) -> None:
        if event.type == MODE_EVENT:
            switched.add(session.id)

    def forget(session: Session) -> None:
        switched.discard(session.id)

    async def tell_switch(agent: Agent, _upcoming: PreStep) -> None:
        session = agent.session
        if session.id not in switched:
            return
        switched.discard(session.id)
        if not is_known(session, name, notice_of(session)):
            agent.inject((text_block(notice_of(session)),), source=plugin_source(name))

    ctx.on(AGENT_PROMPT_SUBMIT, add_mode)
    ctx.on(SESSION_EVENT, note_switch)
    ctx.on(SESSION_DISPOSED, forget)
    ctx.on(AGENT_PRE_STEP, tell_switch)
