"""Plugin: publishes `LLM`, the model service. Adapters are plugins of their own."""

from __future__ import annotations

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.service import LLM, LlmService

name = "llm"


def apply(ctx: Context, _config: object = None) -> None:
    """Mount the service for as long as this plugin lives."""
    ctx.provide(LLM, LlmService(ctx))
