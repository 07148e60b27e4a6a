"""Plugin: waits and asks for a `Retry` where the policy says so, logging both ends of the wait.

The agent's cancel and the end of this plugin end the wait at once; the failure stands then.
Source: capabilities A4; core spec §8.5.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.decisions import RequestErrorDecision, Retry
from dsh_tui.engine.agent.events import AGENT_REQUEST_ERROR, RequestFailure
from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.retry.policy import RetryPolicy

name = "llm-retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryConfig:
    """The policy, and the clock that waits."""

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Clock = SYSTEM_CLOCK


def apply(ctx: Context, config: RetryConfig | None = None) -> None:
    """Listen for as long as this plugin lives."""
    config = config or RetryConfig()
    policy, clock = config.policy, config.clock
    unloading = CancelSignal()

    async def retry(
        agent: Agent, failed: RequestFailure, following: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        delay = policy.delay_ms(failed.failure, failed.attempt)
        if delay is None or failed.signal.cancelled:
            return await following()
        retry_id = new_id("retry")
        place = {"retryId": retry_id, "turn": failed.turn, "step": failed.step}
        waiting = {
            **place,
            "provider": failed.provider,
            "mode": "always" if policy.retries is None else "normal",
            "retry": failed.attempt,
            "delayMs": delay,
            "failure": failed.failure,
        }
        if policy.retries is not None:
            waiting["maxRetries"] = policy.retries
        agent.session.append("llm/retry", waiting)
        try:
            with CancelSignal.any_of(failed.signal, unloading) as ended:
                await ended.race(clock.sleep(delay / 1000))
        except Cancelled:
            return None
        agent.session.append("llm/retry-started", place)
        return Retry()

    ctx.on(AGENT_REQUEST_ERROR, retry)
    ctx.effect(lambda: lambda: unloading.cancel("the retry plugin was unloaded"))


Config = RetryConfig
