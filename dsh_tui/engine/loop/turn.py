"""A turn: the queued prompts, then steps until there is nothing left to do.

Whatever happens inside, exactly one ``turn/end`` is logged, then the log is flushed. The reason is
decided in this order: disposed, aborted, error, rejected, max-tokens, completed.

Source: core spec §8.2.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from typing import Any, assert_never

from dsh_tui.engine.agent.agent import QueuedMessage
from dsh_tui.engine.agent.decisions import (
    AllowPrompt,
    BlockPrompt,
    ContinuationDecision,
    Continue,
    Stop,
)
from dsh_tui.engine.agent.events import AGENT_PROMPT_SUBMIT, AGENT_TURN_CONTINUATION, Continuation
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.llm.messages import as_content, plugin_source
from dsh_tui.engine.loop.errors import RequestFailedError
from dsh_tui.engine.loop.react_agent import ReactAgent, context_data, steering_data
from dsh_tui.engine.loop.request_log import RequestLog
from dsh_tui.engine.loop.services import LoopServices
from dsh_tui.engine.loop.step import Step, StepOutcome

_log = logging.getLogger(__name__)

Reason = Mapping[str, Any]  # Any: JSON of turn/end

_CONTINUATION = plugin_source("turn-continuation")


class Turn:
    """One turn of one agent. Takes what is queued, and never raises for what goes wrong in between."""

    def __init__(self, agent: ReactAgent, services: LoopServices, requests: RequestLog) -> None:
        self._agent = agent
        self._session = agent.session
        self._services = services
        self._requests = requests
        self._signal = agent.signal
        self._number = self._session.last_turn + 1
        self._step = 0
        self._truncated = False

    async def run(self) -> None:
        prompts = self._agent.inbox.take_prompts()
        trigger = {"kind": "message", "source": prompts[0].source}
        try:
            self._session.append("turn/start", {"turn": self._number, "trigger": trigger})
        except Exception:  # raised again, after what was typed is handed back
            self._agent.drop(prompts)
            raise
        outcome: Reason = {"kind": "disposed"}  # stands if the task itself is killed
        try:
            outcome = await self._work(prompts)
        finally:
            self._close(self._decide(outcome))
            await asyncio.shield(self._agent.spawn(self._flush()))

    async def _work(self, prompts: tuple[QueuedMessage, ...]) -> Reason:
        try:
            refusal = await self._submit(prompts)
            if refusal is not None:
                return {"kind": "rejected", "reason": refusal}
            while await self._take_step():
                pass
        except Exception as error:  # noqa: BLE001  # every failure ends in the log, as this turn's reason
            return self._failed(error)
        return {"kind": "max-tokens" if self._truncated else "completed"}

    async def _submit(self, prompts: tuple[QueuedMessage, ...]) -> str | None:
        """Log each prompt as allowed or blocked; the last refusal, if none was allowed."""
        waiting = deque(prompts)
        refusals: list[str] = []
        try:
            while waiting:
                prompt = waiting[0]
                decision = await self._services.events.decide(
                    AGENT_PROMPT_SUBMIT, AllowPrompt(), prompt, self._signal
                )
                self._signal.check()
                match decision:
                    case BlockPrompt(reason):
                        self._block(prompt, reason)
                        refusals.append(reason)
                    case AllowPrompt():
                        self._allow(prompt, decision)
                    case _:
                        assert_never(decision)
                waiting.popleft()
        except BaseException as error:  # what a person typed stays readable in the log, whatever happened
            for prompt in waiting:
                self._block(prompt, error_chain(error))
            raise
        return refusals[-1] if len(refusals) == len(prompts) else None

    def _allow(self, prompt: QueuedMessage, decision: AllowPrompt) -> None:
        content = prompt.content if decision.content is None else as_content(decision.content)
        self._session.append("user/message", {"id": prompt.id, "content": content, "source": prompt.source})
        for context in decision.additional_context:
            self._session.append("context/message", context_data(context.content, context.source))

    def _block(self, prompt: QueuedMessage, reason: str) -> None:
        data = {"id": prompt.id, "content": prompt.content, "source": prompt.source, "reason": reason}
        self._session.append("prompt/blocked", data)

    async def _take_step(self) -> bool:
        """One step; true if another one follows."""
        self._step += 1
        step = Step(self._agent, self._services, self._requests, turn=self._number, number=self._step)
        outcome = await step.run()
        self._truncated = self._truncated or outcome.truncated
        return outcome.again or await self._goes_on(outcome)

    async def _goes_on(self, outcome: StepOutcome) -> bool:
        default: ContinuationDecision = Continue() if outcome.goes_on else Stop()
        asked = Continuation(
            turn=self._number, step=self._step, message=outcome.message, default=default, signal=self._signal
        )
        decision = await self._services.events.decide(AGENT_TURN_CONTINUATION, default, asked)
        self._signal.check()
        if isinstance(decision, Stop):
            return outcome.steered or self._agent.inbox.has_steering
        # A request may not end in the model's own words, so going on without news needs a word.
        reason = decision.reason or ("" if outcome.goes_on else "Continue.")
        if reason:
            self._session.append(
                "steering/message", steering_data(self._number, as_content(reason), _CONTINUATION)
            )
        return True

    def _failed(self, error: Exception) -> Reason:
        if not isinstance(error, HarnessError):
            _log.error("%s: turn %s failed", self._session.id, self._number, exc_info=error)
        if self._signal.cancelled:
            return {}  # the cancel is the reason, however the work stopped
        self._agent.report(self._number, self._step, error)
        reason: dict[str, Any] = {"kind": "error", "step": self._step, "message": error_chain(error)}
        if isinstance(error, HarnessError):
            reason["code"] = error.code
        if isinstance(error, RequestFailedError):
            reason["failure"] = error.failure
        return reason

    def _decide(self, outcome: Reason) -> Reason:
        if self._agent.disposed:
            return {"kind": "disposed"}
        if self._signal.cancelled:
            reason: dict[str, Any] = {"kind": "aborted", "reason": self._signal.reason}
            return reason if self._signal.cause is None else {**reason, "cause": self._signal.cause}
        return outcome

    def _close(self, reason: Reason) -> None:
        # What is owed is read off the log: flags could lie after a raise.
        if self._session.open_turn != self._number:
            return
        if self._session.open_step is not None:
            self._session.append("step/end", {"turn": self._number, "step": self._session.open_step})
        self._session.append("turn/end", {"turn": self._number, "reason": reason})

    async def _flush(self) -> None:
        try:
            await self._services.sessions.flush(self._session)
        except Exception as error:  # noqa: BLE001  # the turn is over; who keeps the log is told
            _log.error("%s: turn %s is not stored: %s", self._session.id, self._number, error)
            self._agent.report(self._number, 0, error)
