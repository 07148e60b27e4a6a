"""Plugin: serves the route ``deepseek`` (or as configured) for as long as it lives."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.deepseek.adapter import DEFAULT_BASE_URL, IDLE_S, DeepSeekAdapter, KeyResolver
from dsh_tui.engine.llm.service import LLM

name = "llm-deepseek"
inject = (LLM,)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepSeekConfig:
    """Where the API is and how to find the key. A project can set neither."""

    api_key: KeyResolver
    """Asked for every request."""
    base_url: str = DEFAULT_BASE_URL
    models: tuple[str, ...] = ()
    """More ids for the picker."""
    idle_s: float = IDLE_S
    """Seconds without any byte after which a request fails."""
    route: str = "deepseek"
    warm_up: bool = False
    """Whether to get ready for the first request behind the start."""
    clock: Clock = SYSTEM_CLOCK


def apply(ctx: Context, config: DeepSeekConfig) -> None:
    """Register the adapter; its connections close after its route is gone."""
    adapter = DeepSeekAdapter(
        api_key=config.api_key,
        base_url=config.base_url,
        models=config.models,
        idle_s=config.idle_s,
        clock=config.clock,
    )
    ctx.effect(lambda: adapter.close)
    ctx[LLM].register_adapter(ctx, (config.route,), adapter)
    if config.warm_up:
        threading.Thread(target=adapter.warm_up, name="llm-warm-up", daemon=True).start()


Config = DeepSeekConfig
