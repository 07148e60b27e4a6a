"""Plugin: mounts the registry of invariants with all companions of the engine's own.

Source: core spec §9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dsh_tui.engine.invariants.live.agents import AgentCompanion, check_scope
from dsh_tui.engine.invariants.live.request import RequestCompanion
from dsh_tui.engine.invariants.live.tools import ToolsCompanion, check_prompt
from dsh_tui.engine.invariants.log.all_checks import COMPANIONS
from dsh_tui.engine.invariants.log.session import SessionCheck
from dsh_tui.engine.invariants.service import INVARIANTS, DispatchCheck, Invariants
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session.store import SESSIONS

name = "invariants"
inject = (SESSIONS,)


@dataclass(frozen=True, slots=True)
class InvariantsConfig:
    """``leave_out``: owners whose companions stay away; their names are taken all the same."""

    leave_out: tuple[str, ...] = ()


def apply(ctx: Context, config: InvariantsConfig | None = None) -> None:
    """Watch for as long as this plugin lives."""
    sessions = ctx[SESSIONS]
    invariants = Invariants(sessions, (config or InvariantsConfig()).leave_out)
    live: dict[str, DispatchCheck] = {
        "request as sent": RequestCompanion(sessions),
        "agent": AgentCompanion(),
        "scope": check_scope,
        "tools": ToolsCompanion(),
        "prompt": check_prompt,
    }

    def install() -> Iterator[Callable[[], object]]:
        yield ctx.provide(INVARIANTS, invariants)
        yield invariants.watch_logs(ctx, SessionCheck.owner, SessionCheck)
        for make in COMPANIONS:
            yield invariants.watch_logs(ctx, make().owner, make)
        for owner, check in live.items():
            yield invariants.watch_dispatches(ctx, owner, check)

    ctx.effect(install)
