"""Plugin: mounts the trusted plugins of the projects that agents work in.

Projects are looked at every two seconds, by name, size and time: what is saved there waits for a person
anyway. Source: design §3.14, §3.20.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from dsh_tui.engine.agent.agent import Agent, QueuedMessage
from dsh_tui.engine.agent.decisions import PromptDecision
from dsh_tui.engine.agent.events import AGENT_CREATED, AGENT_DISPOSED, AGENT_PROMPT_SUBMIT
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.kernel import Context, Disposer, Next
from dsh_tui.engine.plugin_folder.folder import PLUGINS
from dsh_tui.engine.plugin_folder.projects import PROJECT_PLUGINS, ProjectPlugins
from dsh_tui.engine.trust.service import TRUST, TRUST_CHANGED

name = "project-plugins"
inject = (TRUST, PLUGINS)

LOOK_S: Final = 2.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Each plugin's config by name, and whether changes are followed."""

    configs: Mapping[str, object] = field(default_factory=dict)
    watch: bool = True


async def apply(ctx: Context, config: Config) -> AsyncIterator[Disposer]:
    """Mount `PROJECT_PLUGINS` and follow agents with it."""
    own = ctx[PLUGINS]
    projects = ProjectPlugins(
        ctx, ctx[TRUST], config.configs, lambda: [record.name for record in own.records()]
    )
    yield ctx.provide(PROJECT_PLUGINS, projects)

    def entered(agent: Agent) -> Awaitable[None]:
        projects.enter(agent)
        return projects.ready(agent)

    async def wait_for_plugins(
        agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        await projects.ready(agent)
        return await following()

    ctx.on(AGENT_CREATED, entered)
    ctx.on(AGENT_DISPOSED, projects.leave)
    ctx.on(AGENT_PROMPT_SUBMIT, wait_for_plugins, prepend=True)
    ctx.on(TRUST_CHANGED, projects.sync)
    if config.watch:
        # A context of its own: the watcher waits for fibers without belonging to one.
        task = asyncio.create_task(follow(projects.look), context=contextvars.Context())

        async def stop() -> None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        yield stop


async def follow(look: Callable[[], Awaitable[None]], clock: Clock = SYSTEM_CLOCK) -> None:
    """Look every `LOOK_S` seconds while this runs. A look that fails is logged, and not the last one."""
    said = ""
    while True:
        await clock.sleep(LOOK_S)
        try:
            await look()
            said = ""
        except Exception as error:  # noqa: BLE001  # said once; what is saved next is looked at all the same
            if error_chain(error) != said:
                _log.exception("projects: not looked at")
            said = error_chain(error)
