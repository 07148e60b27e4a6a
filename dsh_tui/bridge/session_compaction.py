"""What a person may ask of compaction in the session that is shown: what it would do, and to do it.

Source: core spec §10; ux spec §3.3 (forecast before it is done).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.errors import AgentBusyError
from dsh_tui.engine.compaction.errors import CompactionError
from dsh_tui.engine.compaction.service import COMPACTION
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.projection.compaction_views import CompactionForecast, ShorteningForecast

_BUSY = "A turn runs or waits; /compact works when it is over"


class SessionCompaction:
    """Implements `CompactionPort` on the agent that is shown."""

    def __init__(self, root: Context, agent: Callable[[], Agent | None]) -> None:
        self._root, self._agent = root, agent

    def forecast(self) -> CompactionForecast:
        """What it would do now.

        Raises:
            CompactionError: nothing, and why.
        """
        plan, pruning = self._root[COMPACTION].plan(self._idle())
        return CompactionForecast(
            messages=len(plan.messages),
            tokens=plan.tokens,
            kept_messages=plan.kept_messages,
            kept_tokens=plan.kept_tokens,
            uncached=plan.uncached,
            shortened=ShorteningForecast(
                results=len(pruning.places),
                before=pruning.before,
                after=pruning.after,
                uncached=pruning.behind,
            )
            if pruning is not None
            else None,
        )

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
