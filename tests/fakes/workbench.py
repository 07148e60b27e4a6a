"""A tool bench in a real directory, with the file, shell, plan and spill plugins mounted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_tui.engine.approval import plugin as approval_plugin
from dsh_tui.engine.fs import observation
from dsh_tui.engine.fs import plugin as fs_plugin
from dsh_tui.engine.sandbox import plugin as sandbox_plugin
from dsh_tui.engine.sandbox.plugin import SandboxConfig
from dsh_tui.engine.shell import plugin as shell_plugin
from dsh_tui.engine.spill import plugin as spill_plugin
from dsh_tui.engine.todo import plugin as todo_plugin
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nowhere", "LANG": "C.UTF-8"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One tool result, taken apart."""

    text: str
    failed: bool
    code: str
    meta: Mapping[str, Any]  # Any: presentation JSON


@dataclass(frozen=True)
class Workbench:
    """A bench with a directory. Each call is a batch of its own."""

    bench: ToolBench
    cwd: Path

    async def call(self, name: str, **arguments: object) -> Answer:
        await self.bench.run((name, arguments))
        result = self.bench.results()[-1]
        error = result.get("error") or {}
        return Answer(text(result), result["isError"], error.get("code", ""), result.get("meta") or {})


@asynccontextmanager
async def open_workbench(
    tmp_path: Path,
    *,
    environ: Mapping[str, str] = ENVIRON,
    observe: bool = True,
    grace: float = 0.4,
    sandbox: SandboxConfig | None = None,
) -> AsyncIterator[Workbench]:
    """The workbench in ``tmp_path/work``, spilling to ``tmp_path/spill``; ``sandbox``: with modes and one."""
    cwd = tmp_path / "work"
    cwd.mkdir(exist_ok=True)
    policy: list[tuple[Any, object]] = [(observation, None)] if observe else []
    confined = sandbox is not None
    if confined:
        policy = [(approval_plugin, None), (sandbox_plugin, sandbox), *policy]
    async with open_tool_bench(
        (spill_plugin.store, spill_plugin.StoreConfig(root=tmp_path / "spill")),
        (spill_plugin.policy, None),
        (fs_plugin.local, None),
        *policy,
        (fs_plugin.confined_tools if confined else fs_plugin.tools, None),
        (
            shell_plugin.confined_local if confined else shell_plugin.local,
            shell_plugin.ShellConfig(environ=environ, grace=grace),
        ),
        (shell_plugin.confined_tools if confined else shell_plugin.tools, None),
        (todo_plugin, None),
        cwd=str(cwd),
    ) as bench:
        yield Workbench(bench, cwd)
