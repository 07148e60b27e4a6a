"""A bench for tools: a real kernel, session and registry around an agent that does nothing itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.kernel import Context, create_root
from dsh_tui.engine.llm.blocks import ToolCallBlock
from dsh_tui.engine.scope import ScopeHandle, create_scope
from dsh_tui.engine.session import plugin as session_plugin
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.system_prompt import plugin as system_prompt_plugin
from dsh_tui.engine.tools import plugin as tools_plugin
from dsh_tui.engine.tools.batch import BatchOutcome
from dsh_tui.engine.tools.registry import TOOLS, ToolRegistry
from tests.fakes.fake_clock import FakeClock


@dataclass(eq=False)
class StillAgent:
    """An agent as tools see it: an identity with a session and a scope."""

    session: Session
    scope: ScopeHandle | None = None

    @property
    def id(self) -> str:
        return self.session.id

    @property
    def ctx(self) -> Context:
        assert self.scope is not None
        return self.scope.ctx


@dataclass
class ToolBench:
    """One agent in an open step, ready to run calls."""

    root: Context
    agent: Agent
    clock: FakeClock
    signal: CancelSignal = field(default_factory=CancelSignal)
    turn: int = 0
    step: int = 0

    @property
    def session(self) -> Session:
        return self.agent.session

    @property
    def tools(self) -> ToolRegistry:
        return self.root[TOOLS]

    def open_step(self) -> None:
        """The next step; of a new turn where none is open."""
        if self.session.open_turn is None:
            self.turn, self.step = self.session.last_turn + 1, 0
            trigger = {"kind": "message", "source": {"kind": "user"}}
            self.session.append("turn/start", {"turn": self.turn, "trigger": trigger})
        self.step += 1
        self.session.append("step/start", {"turn": self.turn, "step": self.step})

    def close_turn(self) -> None:
        if self.session.open_step is not None:
            self.session.append("step/end", {"turn": self.turn, "step": self.step})
        self.session.append("turn/end", {"turn": self.turn, "reason": {"kind": "completed"}})

    async def run(self, *calls: tuple[str, str | Mapping[str, object]]) -> BatchOutcome:
        """Run ``(name, arguments)`` calls as the open step's batch; ids are c1, c2 and so on."""
        if self.session.open_step is None:
            self.open_step()
        blocks = [
            ToolCallBlock(
                type="tool-call",
                id=f"c{number}",
                name=name,
                arguments=arguments if isinstance(arguments, str) else dumps(arguments),
            )
            for number, (name, arguments) in enumerate(calls, 1)
        ]
        return await self.tools.run_batch(self.agent, self.turn, self.step, blocks, self.signal)

    def logged(self, *types: str) -> list[Event]:
        return [event for event in self.session.events if event.type in types]

    def results(self) -> list[Mapping[str, Any]]:  # Any: JSON of tool/result
        return [event.data for event in self.logged("tool/result")]

    def order(self) -> list[str]:
        """Calls and results as they were logged: ``call c1``, ``result c1``, …"""
        return [
            f"{event.type.removeprefix('tool/')} {event.data['callId']}"
            for event in self.logged("tool/call", "tool/result")
        ]


def text(result: Mapping[str, Any]) -> str:  # Any: JSON of tool/result
    """What the model reads of a result."""
    return "".join(block["text"] for block in result["content"])


@asynccontextmanager
async def open_tool_bench(
    *plugins: tuple[Any, object],  # Any: plugin modules are untyped to the kernel too
    cwd: str = "/work",
    before: Callable[[Context], None] | None = None,
) -> AsyncIterator[ToolBench]:
    """A bench with sessions, system prompt and tools, and whatever plugins are given."""
    root, clock = create_root(), FakeClock()
    try:
        await root.plugin(session_plugin, clock)
        await root.plugin(system_prompt_plugin)
        await root.plugin(tools_plugin, tools_plugin.ToolsConfig(clock=clock))
        for plugin, config in plugins:
            await root.plugin(plugin, config)
        if before is not None:
            before(root)
        session = root[SESSIONS].create(meta={"cwd": cwd})
        agent = StillAgent(session)
        agent.scope = create_scope(root, agent)
        yield ToolBench(root, cast("Agent", agent), clock)
    finally:
        await root.fiber.dispose()
