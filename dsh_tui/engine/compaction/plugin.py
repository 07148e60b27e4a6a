"""Plugin of this package: the service, and the look at each request before it is made and if it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dsh_tui.engine.agent.events import AGENT_PRE_STEP, AGENT_REQUEST_ERROR
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.compaction.automatic import Automatic
from dsh_tui.engine.compaction.service import COMPACTION, Compaction, Limits
from dsh_tui.engine.compaction.summary import Asking
from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.llm.retry.policy import RetryPolicy
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.spill.store import SPILL

name = "compaction"
inject: Sequence[ServiceKey[Any]] = (LLM, SESSIONS)  # Any: keys of all types


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """When to compact and how much to keep, and how a failed request is asked again."""

    limits: Limits = field(default_factory=Limits)
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Clock = SYSTEM_CLOCK


def apply(ctx: Context, config: Config | None = None) -> None:
    """Offer it for as long as this plugin lives."""
    config = config or Config()
    asking = Asking(llm=ctx[LLM], policy=config.policy, clock=config.clock)
    # Without a spill store a long result is shortened all the same.
    compaction = Compaction(asking, ctx[SESSIONS], config.limits, lambda: ctx.get(SPILL))
    ctx.provide(COMPACTION, compaction)
    if config.limits.auto:
        automatic = Automatic(compaction)
        ctx.on(AGENT_PRE_STEP, automatic.before_step)
        ctx.on(AGENT_REQUEST_ERROR, automatic.after_failure)
