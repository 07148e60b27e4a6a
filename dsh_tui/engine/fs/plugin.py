"""Plugins of this package: the ``fs`` service, and the file tools on top of it.

Mount `local`, then `tools`, or `confined_tools` where a sandbox is mounted; `observation` is another,
and the tools work without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_tui.engine.fs.change import Changes
from dsh_tui.engine.fs.edit import edit_tool
from dsh_tui.engine.fs.glob import glob_tool
from dsh_tui.engine.fs.grep import grep_tool
from dsh_tui.engine.fs.provider import LocalFileSystem
from dsh_tui.engine.fs.read import read_tool
from dsh_tui.engine.fs.ripgrep import RipgrepSearcher, find_ripgrep
from dsh_tui.engine.fs.seam import FS
from dsh_tui.engine.fs.search import Searcher
from dsh_tui.engine.fs.walk import WalkingSearcher
from dsh_tui.engine.fs.write import write_tool
from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.sandbox.service import SANDBOX
from dsh_tui.engine.spill.store import SPILL
from dsh_tui.engine.tools.registry import TOOLS


class LocalFiles:
    """Provides ``fs`` from this machine's disk."""

    name = "fs/local"

    def apply(self, ctx: Context, _config: object) -> None:
        ctx.provide(FS, LocalFileSystem())


class FileTools:
    """Registers ``read``, ``write``, ``edit``, ``glob`` and ``grep``."""

    name = "fs/tools"

    def __init__(self, *, confined: bool = False) -> None:
        keys: Sequence[ServiceKey[Any]] = (TOOLS, FS, SPILL)  # Any: keys of all types
        self.inject = (*keys, SANDBOX) if confined else keys
        self._confined = confined

    def apply(self, ctx: Context, _config: object) -> None:
        tools, files, spill = ctx[TOOLS], ctx[FS], ctx[SPILL]
        binary = find_ripgrep()
        searcher: Searcher = WalkingSearcher() if binary is None else RipgrepSearcher(binary)
        changes = Changes(ctx, files, ctx[SANDBOX] if self._confined else None)
        tools.register(ctx, read_tool(ctx, files))
        tools.register(ctx, write_tool(changes))
        tools.register(ctx, edit_tool(changes))
        tools.register(ctx, glob_tool(files, searcher, spill))
        tools.register(ctx, grep_tool(files, searcher, spill))


local = LocalFiles()
tools = FileTools()
confined_tools = FileTools(confined=True)
