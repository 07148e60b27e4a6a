"""Plugin: ends a turn after so many steps, and says so in the history.

Steering still gets its step: a person who speaks up is the better guard. Source: core spec §8.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.decisions import ContinuationDecision, Continue, Stop
from dsh_tui.engine.agent.events import AGENT_TURN_CONTINUATION, Continuation
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import plugin_source

name = "max-steps"

DEFAULT_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class MaxStepsConfig:
    """``most``: steps that one turn may have."""

    most: int = DEFAULT_MOST


def apply(ctx: Context, config: MaxStepsConfig | None = None) -> None:
    """Watch every turn for as long as this plugin lives."""
    most = (config or MaxStepsConfig()).most

    async def stop_at_the_limit(
        agent: Agent, asked: Continuation, following: Next[ContinuationDecision]
    ) -> ContinuationDecision:
        decision = await following()
        if asked.step < most or not isinstance(decision, Continue):
            return decision
        notice = (
            f"[The turn was stopped after {asked.step} steps, the most that one turn may have. "
            "The task may be unfinished; the user decides whether to go on.]"
        )
        agent.session.append(
            "context/message",
            {"id": new_id("msg"), "content": (text_block(notice),), "source": plugin_source(name)},
        )
        return Stop()

    ctx.on(AGENT_TURN_CONTINUATION, stop_at_the_limit, prepend=True)
