"""The file plugins come and go without a trace."""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.fs import observation
from dsh_tui.engine.fs import plugin as fs_plugin
from dsh_tui.engine.fs.seam import FS
from tests.fakes.workbench import Workbench, open_workbench

NAMES = {"read", "write", "edit", "glob", "grep"}


async def test_reloading_the_tools_leaves_nothing_behind(work: Workbench) -> None:
    root, tools, agent = work.bench.root, work.bench.tools, work.bench.agent
    fibers = {fiber.name: fiber for fiber in root.fiber.children}
    await fibers["fs/tools"].dispose()
    assert NAMES.isdisjoint(tools.names(agent))
    await root.plugin(fs_plugin.tools)
    assert set(tools.names(agent)) >= NAMES
    await fibers["fs/local"].dispose()
    assert root.get(FS) is None
    assert NAMES.isdisjoint(tools.names(agent)), "the tools wait for a file system"


async def test_the_rule_comes_and_goes_with_its_plugin(tmp_path: Path) -> None:
    async with open_workbench(tmp_path, observe=False) as work:
        (work.cwd / "f").write_text("one\n")
        free = await work.call("edit", file_path="f", old_string="one", new_string="two")
        assert not free.failed
        fiber = work.bench.root.plugin(observation)
        await fiber
        ruled = await work.call("edit", file_path="f", old_string="two", new_string="three")
        assert ruled.code == "FS_NOT_OBSERVED"
        await fiber.dispose()
        freed = await work.call("edit", file_path="f", old_string="two", new_string="three")
        assert not freed.failed
