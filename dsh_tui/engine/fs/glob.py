"""The ``glob`` tool: files by name, newest first.

Source: capabilities B3, B6; schema ``tool-fs-search``.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.fs.change import shown_from
from dsh_tui.engine.fs.errors import NOT_FOUND, NOT_REGULAR_FILE, FsError
from dsh_tui.engine.fs.names import show_name
from dsh_tui.engine.fs.paths import locate
from dsh_tui.engine.fs.seam import FileSystem
from dsh_tui.engine.fs.search import Searcher, SearchError
from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.spill.store import SpillStore
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

MAX_SHOWN: Final = 100

DESCRIPTION = f"""\
Find files by name, newest first. Prefer it to find and ls -R.
- Globs: `*.py` matches at any depth, `src/**/*.ts` from the searched directory; also `?`, `[a-z]`, `{{a,b}}`.
- Hidden and git-ignored files are included, version control's own folders are not.
- Shows {MAX_SHOWN} names; a longer list is saved to a file that the answer names. Names in double \
quotes can be used as shown."""


class GlobArgs(BaseModel):
    """Arguments of `glob`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    pattern: str = Field(description="The glob.")
    path: str | None = Field(
        default=None, description="Directory to search. Default: the session's directory."
    )


def glob_tool(files: FileSystem, searcher: Searcher, spill: SpillStore) -> ToolDefinition[GlobArgs]:
    """The tool, finding with ``searcher``."""

    async def execute(args: GlobArgs, call: ToolCall) -> ToolOutput:
        if not args.pattern:
            raise SearchError("The pattern is empty.")
        root, _ = await locate(call.cwd, args.path or ".")
        kind = await files.kind(root)
        if kind != "directory":
            code = NOT_FOUND if kind == "absent" else NOT_REGULAR_FILE
            raise FsError(f"{shown_from(root, call.cwd)} is not a directory.", code=code)
        found = await searcher.files(root, args.pattern, call.signal)
        lines = await asyncio.to_thread(_lines, root, found.items, call.cwd)
        meta = {"matches": len(lines), "files": len(lines)}
        notes = [f"(Incomplete: {found.incomplete}.)"] if found.incomplete else []
        if not lines:
            return ToolOutput("\n".join([f"No files match in {shown_from(root, call.cwd)}.", *notes]), meta)
        if len(lines) > MAX_SHOWN:
            whole = await spill.save(call.session.id, f"{call.call_id}-glob", "\n".join(lines) + "\n")
            where = f"; all of them: {whole}" if whole is not None else "; narrow the pattern to see more"
            notes.append(f"(Showing {MAX_SHOWN} of {len(lines)} files{where})")
        return ToolOutput("\n".join([*lines[:MAX_SHOWN], *notes]), meta)

    return ToolDefinition(
        name="glob",
        description=DESCRIPTION,
        parameters=GlobArgs,
        execute=execute,
        kind="search",
        changes=False,
        is_concurrency_safe=lambda _args: True,
        inside_workspace=lambda args, call: is_inside(call.cwd, args.path or "."),
    )


def _lines(root: Path, names: tuple[str, ...], cwd: Path) -> list[str]:
    return [_line(root, name, cwd) for name in _newest_first(root, names)]


def _line(root: Path, name: str, cwd: Path) -> str:
    path = root / name
    return show_name(str(path.relative_to(cwd))) if path.is_relative_to(cwd) else show_name(str(path))


def _newest_first(root: Path, names: tuple[str, ...]) -> list[str]:
    def key(name: str) -> tuple[int, str]:
        try:
            return -(root / name).lstat().st_mtime_ns, name
        except OSError:
            return 0, name

    return sorted(names, key=key)
