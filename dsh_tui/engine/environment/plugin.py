"""Plugin: tells the model where it is. Date, directory, platform and branch, beside the prompt.

Durable context: sent with the first prompt, and with a later one only if something changed.
Source: core spec §5 (stability).
"""

from __future__ import annotations

import asyncio
import platform
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dsh_tui.engine.agent.agent import Agent, QueuedMessage
from dsh_tui.engine.agent.decisions import PromptDecision
from dsh_tui.engine.agent.durable_context import framed, with_durable_context
from dsh_tui.engine.agent.events import AGENT_PROMPT_SUBMIT
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.environment.git_head import current_branch, repository_root
from dsh_tui.engine.kernel import Context, Next

name = "environment"


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """Whose date it is."""

    clock: Clock = SYSTEM_CLOCK


def apply(ctx: Context, config: EnvironmentConfig | None = None) -> None:
    """Put the facts beside prompts for as long as this plugin lives."""
    clock = (config or EnvironmentConfig()).clock

    async def add_facts(
        agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        decision = await following()
        directory = Path(agent.session.cwd or Path.cwd())
        facts = await asyncio.to_thread(environment_facts, directory, clock.now_ms())
        return with_durable_context(decision, agent.session, name, facts)

    ctx.on(AGENT_PROMPT_SUBMIT, add_facts)


def environment_facts(directory: Path, now_ms: int) -> str:
    """The facts as the model reads them."""
    root = repository_root(directory)
    facts = {
        "Date": f"{datetime.fromtimestamp(now_ms / 1000).astimezone():%A, %Y-%m-%d (%Z)}",
        "Working directory": str(directory),
        "Platform": f"{platform.system()} {platform.release()} ({platform.machine()})",
        "Git repository": "none" if root is None else "this directory" if root == directory else str(root),
    }
    if root is not None and (branch := current_branch(root)) is not None:
        facts["Git branch"] = branch
    return framed("environment", "\n".join(f"{label}: {value}" for label, value in facts.items()))
