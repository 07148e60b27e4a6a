"""Plugins of projects: what is trusted, for the agents that work there, from the bytes that were read."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.plugin_folder.folder import PLUGINS_CHANGED, PluginRecord
from dsh_tui.engine.plugin_folder.importer import PluginError, forget, import_plugin
from dsh_tui.engine.plugin_folder.project_plugin import LOOK_S, follow
from dsh_tui.engine.plugin_folder.projects import CHANGED, TAKEN
from dsh_tui.engine.plugin_folder.source import PluginSource
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.fake_clock import FakeClock
from tests.fakes.until import until

TOOL = """
from pathlib import Path

from pydantic import BaseModel

from dsh_tui.engine.tools.definition import ToolDefinition, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS

inject = (TOOLS,)
NAME = {name!r}
with Path({mark!r}).open("a") as mark:
    mark.write(NAME + " ")


class Args(BaseModel):
    pass


async def run(args, call):
    return ToolOutput("")


def apply(ctx, config):
    ctx[TOOLS].register(
        ctx, ToolDefinition(name=NAME, description="Does.", parameters=Args, execute=run, kind="other")
    )
"""


SLOW = """
import time
from pathlib import Path

Path({begun!r}).touch()
while not Path({go!r}).exists():
    time.sleep(0.001)
"""


@dataclass
class Bench:
    """The product in one project, beside another that brings the same plugin."""

    product: Product
    project: Path
    other: Path
    mark: Path

    def save(self, name: str, *, project: Path | None = None, file: str = "tool.py") -> Path:
        path = (project or self.project) / ".dsh/plugins" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TOOL.format(name=name, mark=str(self.mark)))
        return path

    async def trust(self, project: Path | None = None) -> None:
        where = project or self.project
        await self.product.trust.trust(self.product.trust.manifest(where))
        await self.product.projects.sync(where)

    async def agent(self, project: Path) -> Agent:
        made = self.product.engine.root[AGENTS].create(CreateAgent(meta={"cwd": str(project)})).agent
        await self.product.projects.ready(made)
        return made

    @property
    def ran(self) -> list[str]:
        """What was imported, in order."""
        return self.mark.read_text().split() if self.mark.exists() else []

    def offered(self, agent: Agent) -> set[str]:
        """The tools of plugins that this agent sees."""
        known = self.product.engine.root[TOOLS].names(agent)
        return {name for name in known if name.startswith(("v", "mine"))}


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    project, other, home = tmp_path / "project", tmp_path / "other", tmp_path / "home"
    project.mkdir()
    other.mkdir()
    product = await Product.start(
        StartOptions(
            cwd=project, environ={"DSH_TUI_HOME": str(home), "DSH_HOME": str(home / "none")}, invariants=True
        )
    )
    try:
        yield Bench(product, project, other, tmp_path / "mark")
    finally:
        await product.dispose()


async def test_a_trusted_plugin_is_there_for_the_agents_of_its_project_and_no_others(bench: Bench) -> None:
    bench.save("v1")
    here, there = await bench.agent(bench.project), await bench.agent(bench.other)
    assert bench.ran == []
    await bench.trust()
    assert bench.ran == ["v1"]
    assert bench.offered(here) == {"v1"}
    assert bench.offered(there) == set()


async def test_a_changed_plugin_keeps_running_as_it_was_until_it_is_trusted_again(bench: Bench) -> None:
    path = bench.save("v1")
    await bench.trust()
    agent = await bench.agent(bench.project)
    before = path.read_text()
    bench.save("v2")
    await bench.product.projects.look()
    (record,) = bench.product.projects.records()
    assert (record.state, record.error) == ("active", f"{path}: {CHANGED}")
    assert bench.offered(agent) == {"v1"}
    assert bench.ran == ["v1"]
    path.write_text(before)
    await bench.product.projects.look()
    (record,) = bench.product.projects.records()
    assert record.error == ""
    bench.save("v2")
    await bench.trust()
    assert bench.offered(agent) == {"v2"}
    assert bench.ran == ["v1", "v2"]


async def test_revoked_plugins_are_unloaded_at_once(bench: Bench) -> None:
    before = set(sys.modules)
    bench.save("v1")
    await bench.trust()
    agent = await bench.agent(bench.project)
    await bench.product.trust.revoke(bench.project)
    await bench.product.projects.sync(bench.project)
    assert bench.offered(agent) == set()
    assert bench.product.projects.records() == ()
    assert [name for name in sys.modules if "plugin_tool" in name and name not in before] == []


async def test_a_removed_plugin_goes_and_asks_nothing(bench: Bench) -> None:
    path = bench.save("v1")
    await bench.trust()
    agent = await bench.agent(bench.project)
    path.unlink()
    await bench.product.projects.look()
    assert bench.offered(agent) == set()
    assert bench.product.trust.is_trusted(bench.project)


async def test_trust_that_another_process_ends_is_noticed(bench: Bench, tmp_path: Path) -> None:
    bench.save("v1")
    await bench.trust()
    agent = await bench.agent(bench.project)
    (tmp_path / "home/trust.json").unlink()
    await bench.product.projects.look()
    assert bench.offered(agent) == set()


async def test_projects_with_equal_names_do_not_share_a_module(bench: Bench) -> None:
    bench.save("v1")
    bench.save("v2", project=bench.other)
    here, there = await bench.agent(bench.project), await bench.agent(bench.other)
    await bench.trust()
    await bench.trust(bench.other)
    assert bench.offered(here) == {"v1"}
    assert bench.offered(there) == {"v2"}


async def test_a_plugin_of_the_users_own_wins_the_name(bench: Bench, tmp_path: Path) -> None:
    path = bench.save("v1")
    own = tmp_path / "home/plugins/tool.py"
    own.write_text(TOOL.format(name="mine", mark=str(bench.mark)))
    await bench.product.plugins.sync()
    await bench.trust()
    agent = await bench.agent(bench.project)
    assert bench.offered(agent) == {"mine"}
    (record,) = bench.product.projects.records()
    assert (record.state, record.error) == ("failed", f"{path}: {TAKEN}")
    own.unlink()
    await bench.product.plugins.sync()
    await bench.product.projects.look()
    assert bench.offered(agent) == {"v1"}


async def test_a_project_is_left_with_its_last_agent(bench: Bench) -> None:
    bench.save("v2", project=bench.other)
    await bench.trust(bench.other)
    agents = bench.product.engine.root[AGENTS]
    first, second = (agents.create(CreateAgent(meta={"cwd": str(bench.other)})) for _ in range(2))
    await bench.product.projects.ready(second.agent)
    assert len(bench.product.projects.records()) == 1
    await first.dispose()
    await bench.product.projects.leave(first.agent)
    assert len(bench.product.projects.records()) == 1
    await second.dispose()
    await bench.product.projects.leave(second.agent)
    assert bench.product.projects.records() == ()


async def test_a_project_that_is_left_while_a_plugin_is_imported_has_nothing_mounted(
    bench: Bench, tmp_path: Path
) -> None:
    agent = await bench.agent(bench.other)
    heard: list[PluginRecord] = []
    bench.product.engine.root.on(PLUGINS_CHANGED, heard.append)
    begun, go = tmp_path / "begun", tmp_path / "go"
    path = bench.save("v1", project=bench.other)
    path.write_text(SLOW.format(begun=str(begun), go=str(go)) + path.read_text())
    trusting = asyncio.ensure_future(bench.trust(bench.other))
    await until(begun.exists)
    leaving = asyncio.ensure_future(bench.product.projects.leave(agent))
    await asyncio.wait({leaving}, timeout=0.1)  # it waits for what is under way
    go.touch()
    await asyncio.gather(trusting, leaving)
    assert bench.product.projects.records() == ()
    assert [record for record in heard if record.state == "failed"] == []


async def test_an_agent_that_moves_has_the_plugins_of_where_it_is(bench: Bench) -> None:
    bench.save("v1")
    bench.save("v2", project=bench.other)
    await bench.trust()
    await bench.trust(bench.other)
    agent = await bench.agent(bench.project)
    append_idle(agent.session, "session-cwd", "session/cwd", {"cwd": str(bench.other)})
    await bench.product.projects.ready(agent)
    assert bench.offered(agent) == {"v2"}


async def test_a_broken_trusted_plugin_is_one_line_and_hurts_nobody(bench: Bench) -> None:
    (bench.save("v1").parent / "bad.py").write_text("def broken(:\n")
    await bench.trust()
    agent = await bench.agent(bench.project)
    assert bench.offered(agent) == {"v1"}
    bad, _good = bench.product.projects.records()
    assert "bad.py:1: SyntaxError" in bad.error


# What runs is what was read


async def test_a_look_that_fails_is_logged_once_and_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    outcomes: list[Exception | None] = [OSError("disk gone"), OSError("disk gone"), None]
    looked = 0

    async def look() -> None:
        nonlocal looked
        looked += 1
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    clock = FakeClock()
    following = asyncio.create_task(follow(look, clock))
    await clock.advance(LOOK_S * 3)
    assert (looked, following.done()) == (3, False)
    assert caplog.text.count("OSError: disk gone") == 1
    following.cancel()
    await asyncio.wait({following})


def package(tmp_path: Path, **modules: str) -> PluginSource:
    """A package as it was read; other files lie on the disk by now."""
    folder = tmp_path / "pack"
    folder.mkdir(exist_ok=True)
    contents = {}
    for name, text in modules.items():
        path = folder / f"{name}.py"
        path.write_text("raise RuntimeError('from the disk')\n")
        contents[path] = text.encode()
    return PluginSource("pack", folder / "__init__.py", contents, "digest", realm="_test", is_sealed=True)


async def test_a_file_that_was_exchanged_after_it_was_read_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text("raise RuntimeError('from the disk')\n")
    source = PluginSource("one", path, {path: b"def apply(ctx, config): ...\n"}, "digest", is_sealed=True)
    assert callable((await import_plugin(source)).apply)
    forget(source.module)


async def test_modules_of_a_package_are_those_that_were_read_also_when_imported_late(tmp_path: Path) -> None:
    source = package(
        tmp_path,
        __init__="from .early import X\ndef apply(ctx, config):\n    from .late import Y\n    return X + Y\n",
        early="X = 1\n",
        late="Y = 2\n",
    )
    module = await import_plugin(source)
    assert module.apply(None, None) == 3
    forget(source.module)


async def test_a_module_that_was_not_read_can_not_be_imported(tmp_path: Path) -> None:
    source = package(tmp_path, __init__="from .added import X\ndef apply(ctx, config): ...\n")
    (tmp_path / "pack/added.py").write_text("X = 1\n")
    with pytest.raises(PluginError, match="No module named"):
        await import_plugin(source)
