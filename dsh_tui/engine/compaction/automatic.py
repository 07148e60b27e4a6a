"""Compaction unasked: before a request that would nearly fill the window, and after one that was refused.

A refused request is made anew in a new step, since what the model sees is another then: only if the history
became shorter. Once a summary was made for it and no answer came, or there is nothing to summarise, the
results of the turn that runs are shortened too; then there is nothing left to do. What came to nothing is
not tried again in its turn. Source: core spec §10, §8.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.decisions import RequestErrorDecision, RetryStep
from dsh_tui.engine.agent.events import PreStep, RequestFailure
from dsh_tui.engine.compaction.errors import TOO_LONG
from dsh_tui.engine.compaction.service import Change, Compaction
from dsh_tui.engine.compaction.weight import head_tokens
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.session.session import Session


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A request that was too long, and for which the history was made shorter."""

    turn: int
    step: int
    logged: int
    """How long the log was then."""
    summarised: bool
    """Or nothing is left that could be."""


class Automatic:
    """Listens at the loop's seams for as long as compaction may begin by itself."""

    def __init__(self, compaction: Compaction) -> None:
        self._compaction = compaction
        self._gave_up: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        """The turn in which it came to nothing."""
        self._refused: WeakKeyDictionary[Session, _Refusal] = WeakKeyDictionary()

    async def before_step(self, agent: Agent, upcoming: PreStep) -> None:
        """Compact first if the request that is about to be made would nearly fill the window."""
        session = agent.session
        if session.request_header is None or self._gave_up.get(session) == upcoming.turn:
            return
        last = self._refused.get(session)
        if last is not None and (last.turn, last.step + 1) == (upcoming.turn, upcoming.step):
            return  # it is tried as it is now: the provider knows better than an estimate
        need = self._compaction.need(
            agent, "auto", lambda: head_tokens(upcoming.system, upcoming.tools, upcoming.prefix)
        )
        if need.over() and await self._compaction.run(agent, need, upcoming.signal) == "nothing":
            self._gave_up[session] = upcoming.turn

    async def after_failure(
        self, agent: Agent, failed: RequestFailure, following: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        """Compact, and ask for a new step, if the request was longer than the model takes."""
        session = agent.session
        if failed.failure["code"] != TOO_LONG:
            return await following()
        logged = len(session.events)
        change: Change = "nothing"
        need = self._compaction.need(agent, "overflow")
        if not self._tried(session, failed.turn):
            change = await self._compaction.run(agent, need, failed.signal)
        summarised = change != "some"
        if change == "nothing" and not failed.signal.cancelled and self._compaction.has_last_resort(agent):
            change = await self._compaction.run(agent, replace(need, last_resort=True), failed.signal)
        if change == "nothing":
            return await following()
        self._refused[session] = _Refusal(failed.turn, failed.step, logged, summarised=summarised)
        return RetryStep()

    def _tried(self, session: Session, turn: int) -> bool:
        """Whether all was done already, and no answer came of it."""
        if self._gave_up.get(session) == turn:
            return True
        last = self._refused.get(session)
        if last is None or last.turn != turn or not last.summarised:
            return False
        answer = next((node for node in reversed(session.surface) if node.type == "assistant/message"), None)
        return answer is None or answer.seq < last.logged
