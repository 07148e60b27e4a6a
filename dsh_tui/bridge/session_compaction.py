"""What a person may ask of compaction in the session that is shown: what it would do, and to do it.

Source: core spec §10; ux spec §3.3 (forecast before it is done).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.errors import AgentBusyError
from dsh_tui.engine.base.clock import SYSTEM_CLOCK
from dsh_tui.engine.compaction.errors import CompactionError
from dsh_tui.engine.compaction.service import COMPACTION
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.projection.compaction_views import CompactionForecast, ShorteningForecast
from dsh_tui.engine.projection.cost import CostView
from dsh_tui.engine.projection.spending import uncached_cost

_BUSY = "A turn runs or waits; /compact works when it is over"


class SessionCompaction:
    """Implements `CompactionPort` on the agent that is shown."""

    def __init__(
        self, root: Context, agent: Callable[[], Agent | None], price_of: PriceOf = no_price
    ) -> None:
        self._root, self._agent, self._price_of = root, agent, price_of

    def forecast(self) -> CompactionForecast:
        """What it would do now.

        Raises:
            CompactionError: nothing, and why.
        """
        agent = self._idle()
        plan, pruning = self._root[COMPACTION].plan(agent)
        return CompactionForecast(
            messages=len(plan.messages),
            tokens=plan.tokens,
            kept_messages=plan.kept_messages,
            kept_tokens=plan.kept_tokens,
            uncached=plan.uncached,
            cost=self._cost(plan.uncached, agent),
            shortened=ShorteningForecast(
                results=len(pruning.places),
                before=pruning.before,
                after=pruning.after,
                uncached=pruning.behind,
            )
            if pruning is not None
            else None,
        )

    def _cost(self, tokens: int, agent: Agent) -> CostView:
        provider, model = agent.options.provider or "", agent.options.model or ""
        return uncached_cost(tokens, provider, model, SYSTEM_CLOCK.now_ms(), self._price_of)

    def begin(self, keep: str) -> None:
        """Do it; its row in the transcript tells the rest. Raises as `forecast` does."""
        try:
            self._root[COMPACTION].compact(self._idle(), keep)
        except AgentBusyError as error:
            raise CompactionError(_BUSY) from error

    def _idle(self) -> Agent:
        agent = self._agent()
        if agent is None:
            raise CompactionError("This session is only read; nothing can be summarised in it")
        if agent.status != "idle" or agent.queued:
            raise CompactionError(_BUSY)
        return agent
