"""Bundle: the product as people use it. The spine, a provider, storage, tools and approvals.

Source: core spec §12; design §3.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dsh_tui.engine.agent.agent import AgentOptions
from dsh_tui.engine.agent.default_model import DEFAULT_MODEL
from dsh_tui.engine.approval import plugin as approval
from dsh_tui.engine.bundles import agent_core
from dsh_tui.engine.compaction import plugin as compaction
from dsh_tui.engine.compaction.service import Limits
from dsh_tui.engine.environment import plugin as environment
from dsh_tui.engine.fs import observation
from dsh_tui.engine.fs import plugin as fs
from dsh_tui.engine.guard import lost_session, max_steps, repeat_reminder
from dsh_tui.engine.instructions import plugin as instructions
from dsh_tui.engine.kernel import Context, Fiber, find_fiber
from dsh_tui.engine.llm.deepseek import plugin as deepseek
from dsh_tui.engine.llm.retry import plugin as retry
from dsh_tui.engine.loop import one_shots
from dsh_tui.engine.loop import plugin as loop
from dsh_tui.engine.modes import notice as mode_notice
from dsh_tui.engine.modes.mode import DEFAULT_MODE, Mode
from dsh_tui.engine.permissions import plugin as permissions
from dsh_tui.engine.permissions.book import PermissionsConfig
from dsh_tui.engine.persistence import checkpoint
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.lease import plugin as leases
from dsh_tui.engine.plan import plugin as plan
from dsh_tui.engine.plugin_folder import plugin as plugin_folder
from dsh_tui.engine.plugin_folder import project_plugin
from dsh_tui.engine.sandbox import plugin as sandbox
from dsh_tui.engine.sandbox.plugin import SandboxConfig
from dsh_tui.engine.session_title import plugin as session_title
from dsh_tui.engine.shell import plugin as shell
from dsh_tui.engine.spill import plugin as spill
from dsh_tui.engine.system_prompt import identity
from dsh_tui.engine.todo import plugin as todo
from dsh_tui.engine.trust import plugin as trust

name = "base"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the bundle needs of the user: folders, a key, a model, and how much to allow."""

    sessions: Path
    originals: Path | None = None
    """Where the sessions of the original lie."""
    plugins: Path
    spill: Path
    instructions: Path
    """The user's own AGENTS.md; may be missing."""
    trust: trust.TrustConfig
    api_key: Callable[[], str | None]
    base_url: str
    models: tuple[str, ...] = ()
    default_model: Callable[[], AgentOptions]
    mode: Mode = DEFAULT_MODE
    kept: tuple[Path, ...] = ()
    """Folders where no change is an ordinary one: the home."""
    sandbox: SandboxConfig = field(default_factory=SandboxConfig)
    permissions: PermissionsConfig
    lease: leases.LeaseConfig = field(default_factory=leases.LeaseConfig)
    environ: Mapping[str, str]
    pass_environment: tuple[str, ...] = ()
    plugin_configs: Mapping[str, object] = field(default_factory=dict)
    watch_plugins: bool = False
    compaction: Limits = field(default_factory=Limits)
    written_titles: bool = False
    """Whether the model may be asked for a title beside the conversation."""
    invariants: bool = False
    """Let the companions of core spec §9 watch; they cost time and are for whoever works on the program."""


def apply(ctx: Context, config: Config) -> None:
    """Mount everything. The loop asks for storage and default model without injecting them."""
    ctx.provide(DEFAULT_MODEL, config.default_model)
    core = ctx.plugin(agent_core)
    if config.invariants:
        from dsh_tui.engine.invariants import plugin as invariants

        ctx.plugin(invariants)
    ctx.plugin(
        deepseek,
        deepseek.DeepSeekConfig(
            api_key=config.api_key, base_url=config.base_url, models=config.models, warm_up=True
        ),
    )
    ctx.plugin(retry)
    ctx.plugin(leases, config.lease)  # before the store: its last writes need it
    ctx.plugin(jsonl, jsonl.JsonlConfig(root=config.sessions, originals=config.originals))
    ctx.plugin(one_shots)
    ctx.plugin(checkpoint)
    ctx.plugin(lost_session)
    ctx.plugin(compaction, compaction.Config(limits=config.compaction))
    ctx.plugin(session_title)
    if config.written_titles:
        from dsh_tui.engine.session_title import written_titles

        ctx.plugin(written_titles)
    ctx.plugin(trust, config.trust)
    ctx.plugin(permissions, config.permissions)
    ctx.plugin(approval, approval.ApprovalConfig(mode=config.mode, kept=config.kept))
    ctx.plugin(mode_notice)
    ctx.plugin(sandbox, config.sandbox)
    ctx.plugin(max_steps)
    ctx.plugin(repeat_reminder)
    ctx.plugin(identity)
    ctx.plugin(environment)
    ctx.plugin(instructions, instructions.InstructionsConfig(home_file=config.instructions))
    ctx.plugin(spill.store, spill.StoreConfig(root=config.spill))
    ctx.plugin(spill.policy)
    ctx.plugin(fs.local)
    ctx.plugin(observation)
    ctx.plugin(fs.confined_tools)
    ctx.plugin(
        shell.confined_local,
        shell.ShellConfig(
            environ=config.environ,
            pass_environment=config.pass_environment,
            secret_values=lambda: filter(None, (config.api_key(),)),
        ),
    )
    ctx.plugin(shell.confined_tools)
    ctx.plugin(todo)
    ctx.plugin(plan)
    ctx.plugin(
        plugin_folder,
        plugin_folder.Config(
            folder=config.plugins, configs=config.plugin_configs, watch=config.watch_plugins
        ),
    )
    ctx.plugin(
        project_plugin, project_plugin.Config(configs=config.plugin_configs, watch=config.watch_plugins)
    )
    ctx.effect(lambda: lambda: _end_agents(core))  # the last effect is undone first


async def _end_agents(core: Fiber) -> None:
    """Agents end while storage and tools still stand: else no log would hold how their turns ended."""
    with contextlib.suppress(LookupError):  # the start failed before the loop
        await find_fiber(core, loop.name).dispose()
