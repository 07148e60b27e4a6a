"""The registry of tools: who sees which, and the door through which calls run.

Tools, restrictions and guards belong to the scope they were registered in: global ones to
everybody, an agent's own to it alone; the nearest of one name wins. A restriction hides
what comes from outside its scope; hidden is the same as unknown. Source: core spec §2, §6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import Context, Disposer, Producer, ServiceKey
from dsh_tui.engine.llm.blocks import ToolCallBlock
from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.scope import ScopedLayers, scope_of, scope_target
from dsh_tui.engine.tools.arguments import parse_arguments
from dsh_tui.engine.tools.batch import MOST_AT_ONCE, Batch, BatchOutcome
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.errors import ToolError
from dsh_tui.engine.tools.events import TOOL_RESULT, TOOLS_CHANGE
from dsh_tui.engine.tools.pipeline import Guard, Pipeline
from dsh_tui.engine.tools.schema import tool_schema

if TYPE_CHECKING:
    from dsh_tui.engine.agent.agent import Agent

Allows: TypeAlias = Callable[[str], bool]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what providers accept


@dataclass(slots=True)
class _Mounted:
    definition: AnyTool
    scope: object | None
    producer: Producer
    schema: ToolSchema | None = None


@dataclass(frozen=True, slots=True)
class _Restriction:
    allows: Allows
    scope: object | None


class ToolRegistry:
    """Holds the tools and runs the calls. Published under `TOOLS`."""

    def __init__(
        self, ctx: Context, *, clock: Clock = SYSTEM_CLOCK, most_at_once: int = MOST_AT_ONCE
    ) -> None:
        self._ctx = ctx
        self._clock = clock
        self._most_at_once = most_at_once
        self._tools: ScopedLayers[_Mounted] = ScopedLayers("tool", on_change=self._changed)
        self._restrictions: ScopedLayers[_Restriction] = ScopedLayers(on_change=self._changed)
        self._guards: ScopedLayers[Guard] = ScopedLayers()
        self._numbers = count()

    def register(self, ctx: Context, definition: AnyTool) -> Disposer:
        """Offer a tool in the caller's scope, for as long as the caller's fiber lives.

        Raises:
            ToolError: a name that providers refuse.
            KernelError: the scope has a tool of that name.
        """
        if _NAME.fullmatch(definition.name) is None:
            raise ToolError(f"a tool can't be called {definition.name!r}: 1 to 64 of A-Z a-z 0-9 _ -")
        mounted = _Mounted(definition, scope_of(ctx), ctx.producer)
        return self._tools.register(ctx, definition.name, mounted)

    def restrict(self, ctx: Context, allow: Allows) -> Disposer:
        """Hide every tool from outside the caller's scope whose name ``allow`` refuses."""
        return self._restrictions.register(ctx, self._unnamed(), _Restriction(allow, scope_of(ctx)))

    def guard(self, ctx: Context, guard: Guard) -> Disposer:
        """Ask ``guard`` before every body in the caller's scope; it can only deny."""
        return self._guards.register(ctx, self._unnamed(), guard)

    def get(self, agent: Agent | None, name: str) -> AnyTool | None:
        """The tool that this agent means by ``name``; without one, everybody's."""
        mounted = self._tools.get(agent, name)
        return None if mounted is None or self._hides(agent, name, mounted) else mounted.definition

    def known(self, agent: Agent) -> frozenset[str]:
        """Every name in the agent's scopes, hidden ones too: what is not here is a typo."""
        return frozenset(self._tools.view(agent))

    def names(self, agent: Agent) -> tuple[str, ...]:
        """The names that the agent may call, sorted."""
        return tuple(name for name, _ in self._visible(agent))

    def schemas(self, agent: Agent) -> tuple[ToolSchema, ...]:
        """What the model is told, sorted by name. The same objects as long as nothing changes."""
        return tuple(_schema_of(mounted) for _, mounted in self._visible(agent))

    def producers(self, agent: Agent) -> dict[str, Producer]:
        """Who offers each of them."""
        return {name: mounted.producer for name, mounted in self._visible(agent)}

    async def run_batch(
        self, agent: Agent, turn: int, step: int, blocks: Sequence[ToolCallBlock], signal: CancelSignal
    ) -> BatchOutcome:
        """Run a step's calls; every block has a logged result when this returns or raises."""
        events = scope_target(self._ctx, agent)
        cwd = _directory(agent)
        calls = [
            ToolCall(
                agent=agent,
                session=agent.session,
                turn=turn,
                step=step,
                call_id=block["id"],
                name=block["name"],
                arguments=block["arguments"],
                args=parse_arguments(block["arguments"]),
                signal=signal,
                cwd=cwd,
            )
            for block in blocks
        ]
        batch = Batch(
            calls,
            pipeline=Pipeline(events, lambda: self._guards.view(agent).values(), self._clock),
            find=partial(self.get, agent),
            names=partial(self.names, agent),
            on_result=lambda call, output: events.emit(TOOL_RESULT, call, output),
            clock=self._clock,
            most_at_once=self._most_at_once,
        )
        return await batch.run()

    def _visible(self, agent: Agent) -> list[tuple[str, _Mounted]]:
        tools = sorted(self._tools.view(agent).items())
        return [(name, mounted) for name, mounted in tools if not self._hides(agent, name, mounted)]

    def _hides(self, agent: Agent | None, name: str, mounted: _Mounted) -> bool:
        return any(
            not restriction.allows(name)
            for restriction in self._restrictions.view(agent).values()
            if restriction.scope is None or restriction.scope is not mounted.scope
        )

    def _unnamed(self) -> str:
        return f"{next(self._numbers):08}"

    def _changed(self) -> None:
        self._ctx.emit(TOOLS_CHANGE)


def _schema_of(mounted: _Mounted) -> ToolSchema:
    if mounted.schema is None:
        mounted.schema = tool_schema(mounted.definition)
    return mounted.schema


def _directory(agent: Agent) -> Path:
    named = agent.session.cwd
    return Path(named) if isinstance(named, str) else Path.cwd()


TOOLS: ServiceKey[ToolRegistry] = ServiceKey("tools")
