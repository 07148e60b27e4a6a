"""Plugin: publishes the sandbox, and lets mode ``sandbox`` be chosen where it can be kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.modes.mode import CONFINED
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.sandbox.backends import system_backends
from dsh_tui.engine.sandbox.bounds import Confining
from dsh_tui.engine.sandbox.escalation import requested
from dsh_tui.engine.sandbox.seam import Backend
from dsh_tui.engine.sandbox.service import SANDBOX, Sandbox
from dsh_tui.engine.session.store import SESSION_DISPOSED
from dsh_tui.engine.tools.decisions import Deny, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.events import PRE_EXECUTE

name = "sandbox"
inject = (MODES,)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxConfig:
    """What confined calls may change, and what they never may."""

    confining: Confining = "workspace-write"
    """The policy of mode ``sandbox``."""
    writable: tuple[Path, ...] = ()
    """Folders beside the session's own."""
    home: Path | None = None
    """dsh-tui's home: never writable."""
    hidden: tuple[Path, ...] = ()
    """Files that confined commands can't even read, where that can be enforced."""
    backends: Sequence[Backend] | None = None
    """None: those of this system."""


def apply(ctx: Context, config: SandboxConfig | None = None) -> None:
    """Mount `SANDBOX` for as long as this plugin lives."""
    config = config or SandboxConfig()
    sandbox = Sandbox(
        ctx[MODES],
        system_backends() if config.backends is None else config.backends,
        confining=config.confining,
        writable=config.writable,
        vital=() if config.home is None else (config.home,),
        hidden=config.hidden,
    )

    def temps() -> Iterator[Callable[[], Awaitable[None]]]:
        yield sandbox.temps.close

    async def only_wider(call: ToolCall, definition: AnyTool, following: Next[PreDecision]) -> PreDecision:
        """Nobody is asked about a request that could not be granted."""
        request = requested(call.args) if definition.confined else None
        objection = None if request is None else sandbox.objection(call, request.policy)
        return await following() if objection is None else Deny(objection)

    ctx.effect(temps)
    ctx.provide(SANDBOX, sandbox)
    ctx[MODES].require(ctx, CONFINED, lambda: sandbox.backend)
    ctx.on(SESSION_DISPOSED, sandbox.temps.forget, everywhere=True)
    ctx.on(PRE_EXECUTE, only_wider)
