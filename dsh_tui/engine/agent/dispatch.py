"""Dispatch of ``agent/*`` events: the agent is both the first argument and the scope.

One place fuses the two, so that what an event talks about and who hears it can't disagree.
Source: core spec §2.
"""

from __future__ import annotations

from typing import Concatenate, ParamSpec, TypeVar

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.kernel import Context, Emit, Serial, Waterfall
from dsh_tui.engine.scope import scope_target

P = ParamSpec("P")
R = TypeVar("R")


class AgentDispatch:
    """Sends events about one agent to its own listeners, those of its ancestors, and global ones."""

    __slots__ = ("_agent", "_target")

    def __init__(self, ctx: Context, agent: Agent) -> None:
        self._agent = agent
        self._target = scope_target(ctx, agent)

    def emit(self, event: Emit[Concatenate[Agent, P]], *args: P.args, **kwargs: P.kwargs) -> None:
        self._target.emit(event, self._agent, *args, **kwargs)

    def emit_raw(self, event: Emit[Concatenate[Agent, P]], *args: P.args, **kwargs: P.kwargs) -> None:
        self._target.emit_raw(event, self._agent, *args, **kwargs)

    async def serial(
        self, event: Serial[Concatenate[Agent, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R | None:
        return await self._target.serial(event, self._agent, *args, **kwargs)

    async def decide(
        self, event: Waterfall[Concatenate[Agent, P], R], default: R, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """A waterfall whose innermost answer is ``default``."""

        async def innermost() -> R:
            return default

        return await self._target.waterfall(event, innermost, self._agent, *args, **kwargs)
