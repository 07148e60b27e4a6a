"""A bench with rules: a real kernel, book, modes and approval around a tool `bash` that runs nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.approval import plugin as approval_plugin
from dsh_tui.engine.approval.desk import ApprovalDesk
from dsh_tui.engine.approval.service import APPROVAL
from dsh_tui.engine.invariants import plugin as invariants_plugin
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.modes.mode import Mode
from dsh_tui.engine.permissions import plugin as permissions_plugin
from dsh_tui.engine.permissions.book import PERMISSIONS, Permissions, PermissionsConfig
from dsh_tui.engine.permissions.past_calls import PastCalls
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.scope import create_scope
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.settings.rules import read_project_rules
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.tool_bench import StillAgent, ToolBench, open_tool_bench


class CommandArgs(BaseModel):
    """What `bash` takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str


class Told:
    """A `bash` that notes the commands that it was told to run."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def execute(self, args: CommandArgs, _call: ToolCall) -> ToolOutput:
        self.ran.append(args.command)
        return ToolOutput("done")

    @property
    def definition(self) -> ToolDefinition[CommandArgs]:
        return ToolDefinition(
            name="bash",
            description="Runs a command.",
            parameters=CommandArgs,
            execute=self.execute,
            kind="execute",
        )


class RulesBench:
    """A tool bench, its book, a desk where somebody sits, and what `bash` was told."""

    def __init__(self, bench: ToolBench, told: Told) -> None:
        self.bench, self.told = bench, told
        self.desk = ApprovalDesk()
        self.leave = bench.root[APPROVAL].answer_with(bench.root, self.desk)
        """Takes the desk away, so that somebody else may answer."""

    @property
    def book(self) -> Permissions:
        return self.bench.root[PERMISSIONS]

    @property
    def ran(self) -> list[str]:
        return self.told.ran

    def data(self, *types: str) -> list[Mapping[str, Any]]:  # Any: JSON of events
        return [event.data for event in self.bench.logged(*types)]

    async def run(self, *commands: str) -> None:
        """A step of its own with these commands."""
        session = self.bench.session
        if session.open_step is not None and self.bench.results():
            session.append("step/end", {"turn": self.bench.turn, "step": self.bench.step})
        await self.bench.run(*(("bash", {"command": command}) for command in commands))


def another(bench: ToolBench, *, parent: Agent | None = None, **meta: str) -> ToolBench:
    """One more agent on the same engine, in a session of its own."""
    session = bench.root[SESSIONS].create(meta={"cwd": "/work", **meta})
    agent = StillAgent(session)
    agent.scope = create_scope(bench.root, agent, parent)
    return ToolBench(bench.root, cast("Agent", agent), bench.clock)


def rules(*texts: str) -> tuple[Rule, ...]:
    return tuple(Rule.parse(text) for text in texts)


@asynccontextmanager
async def open_rules_bench(
    *user: str,
    mode: Mode = "ask",
    cwd: Path | str = "/work",
    config: PermissionsConfig | None = None,
    before: Callable[[Context], None] | None = None,
) -> AsyncIterator[RulesBench]:
    """With these rules of the user's."""
    held = rules(*user)
    config = config or PermissionsConfig(
        user_rules=lambda: held, read_project_rules=read_project_rules, past=PastCalls()
    )
    plugins = (
        (invariants_plugin, None),
        (permissions_plugin, config),
        (approval_plugin, approval_plugin.ApprovalConfig(mode=mode)),
    )
    async with open_tool_bench(*plugins, cwd=str(cwd), before=before) as bench:
        told = Told()
        bench.root[TOOLS].register(bench.root, told.definition)
        yield RulesBench(bench, told)
