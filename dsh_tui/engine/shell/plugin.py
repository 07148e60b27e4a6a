"""Plugins of this package: the ``bash`` service, and jobs with the shell tools on top of it.

Mount `local`, then `tools`; or, where a sandbox is mounted, `confined_local` and `confined_tools`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.events import AGENT_DISPOSED
from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.sandbox.service import SANDBOX
from dsh_tui.engine.shell.bash import bash_tool
from dsh_tui.engine.shell.bash_kill import bash_kill_tool
from dsh_tui.engine.shell.bash_output import bash_output_tool
from dsh_tui.engine.shell.jobs import MOST_AT_ONCE, SHELL_JOBS, ShellJobs
from dsh_tui.engine.shell.local import GRACE, LocalShell
from dsh_tui.engine.shell.seam import BASH
from dsh_tui.engine.spill.store import SPILL
from dsh_tui.engine.tools.registry import TOOLS


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellConfig:
    """What commands get from the user's environment, and how long they have to end."""

    pass_environment: Sequence[str] = ()
    """Names, or patterns with ``*``, beside the built-in list."""
    environ: Mapping[str, str] | None = None
    """None: this program's own environment."""
    secret_values: Callable[[], Iterable[str]] = tuple
    """Values that no command may see under any name, such as stored keys."""
    grace: float = GRACE


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsConfig:
    """How many background commands a session may have at once."""

    most_at_once: int = MOST_AT_ONCE


class LocalShellPlugin:
    """Provides ``bash`` from this machine; ``confined``: inside the sandbox where a request says so."""

    name = "shell/local"
    Config = ShellConfig

    def __init__(self, *, confined: bool = False) -> None:
        self.inject: Sequence[ServiceKey[Any]] = (SPILL, SANDBOX) if confined else (SPILL,)  # Any: all types
        self._confined = confined

    def apply(self, ctx: Context, config: ShellConfig) -> None:
        shell = LocalShell(
            ctx[SPILL],
            environ=config.environ,
            also=config.pass_environment,
            secret_values=config.secret_values,
            grace=config.grace,
            sandbox=ctx[SANDBOX] if self._confined else None,
        )

        def lifetime() -> Iterator[Callable[[], Awaitable[None]]]:
            yield shell.close

        ctx.effect(lifetime)
        ctx.provide(BASH, shell)


class ShellToolsPlugin:
    """Provides ``shell-jobs`` and registers ``bash``, ``bash_output`` and ``bash_kill``."""

    name = "shell/tools"
    Config = JobsConfig

    def __init__(self, *, confined: bool = False) -> None:
        keys: Sequence[ServiceKey[Any]] = (TOOLS, BASH)  # Any: keys of all types
        self.inject = (*keys, SANDBOX) if confined else keys
        self._confined = confined

    def apply(self, ctx: Context, config: JobsConfig) -> None:
        shell = ctx[BASH]
        sandbox = ctx[SANDBOX] if self._confined else None
        jobs = ShellJobs(ctx, shell, most_at_once=config.most_at_once)

        def lifetime() -> Iterator[Callable[[], Awaitable[None]]]:
            yield jobs.close

        async def end(agent: Agent) -> None:
            await jobs.end_session(agent.session.id)

        ctx.effect(lifetime)
        ctx.provide(SHELL_JOBS, jobs)
        ctx.on(AGENT_DISPOSED, end, everywhere=True)
        ctx[TOOLS].register(ctx, bash_tool(ctx, shell, jobs, sandbox))
        ctx[TOOLS].register(ctx, bash_output_tool(jobs))
        ctx[TOOLS].register(ctx, bash_kill_tool(jobs))


local = LocalShellPlugin()
tools = ShellToolsPlugin()
confined_local = LocalShellPlugin(confined=True)
confined_tools = ShellToolsPlugin(confined=True)
