"""The ``grep`` tool: lines by content, grouped by file.

Source: capabilities B3, B6; schema ``tool-fs-search``.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.base.visible import marked
from dsh_tui.engine.fs.change import shown_from
from dsh_tui.engine.fs.errors import NOT_FOUND, NOT_REGULAR_FILE, FsError
from dsh_tui.engine.fs.paths import locate
from dsh_tui.engine.fs.seam import FileSystem
from dsh_tui.engine.fs.search import Match, Searcher, SearchError
from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.spill.store import SpillStore
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

MAX_SHOWN: Final = 250
MAX_LINE: Final = 2_000
"""Bytes of one line that are shown."""

DESCRIPTION = f"""\
Search file contents with a regular expression (ripgrep syntax; escape literal `(`, `[`, `{{`). Prefer it to \
grep and rg in a shell.
- Returns `line number: text`, grouped by file. Hidden and ignored files are searched, binary ones are not.
- Narrow it with `path` (a directory or a file) and `include` (a glob such as `*.py` or `*.{{ts,tsx}}`).
- Shows {MAX_SHOWN} matches; a longer list is saved to a file that the answer names."""


class GrepArgs(BaseModel):
    """Arguments of `grep`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    pattern: str = Field(description="The regular expression.")
    path: str | None = Field(
        default=None, description="Directory or file to search. Default: the session's directory."
    )
    include: str | None = Field(default=None, description="Only files whose name matches this glob.")


def grep_tool(files: FileSystem, searcher: Searcher, spill: SpillStore) -> ToolDefinition[GrepArgs]:
    """The tool, searching with ``searcher``."""

    async def execute(args: GrepArgs, call: ToolCall) -> ToolOutput:
        if not args.pattern:
            raise SearchError("The pattern is empty.")
        target, _ = await locate(call.cwd, args.path or ".")
        kind = await files.kind(target)
        if kind in ("absent", "other"):
            code = NOT_FOUND if kind == "absent" else NOT_REGULAR_FILE
            what = "does not exist" if kind == "absent" else "is neither a file nor a directory"
            raise FsError(f"{shown_from(target, call.cwd)} {what}.", code=code)
        root, only = (target, None) if kind == "directory" else (target.parent, target.name)
        found = await searcher.lines(root, only, args.pattern, args.include, call.signal)
        matches = sorted(found.items, key=lambda match: (match.name, match.line))
        names = {match.name for match in matches}
        meta = {"matches": len(matches), "files": len(names)}
        notes = [f"(Incomplete: {found.incomplete}.)"] if found.incomplete else []
        if not matches:
            return ToolOutput("\n".join(["No matches.", *notes]), meta)
        if len(matches) > MAX_SHOWN:
            whole = await spill.save(
                call.session.id, f"{call.call_id}-grep", _render(matches, root, call.cwd) + "\n"
            )
            where = f"; all of them: {whole}" if whole is not None else "; narrow the search to see more"
            notes.append(f"(Showing {MAX_SHOWN} of {len(matches)} matches{where})")
        head = f"{_count(len(matches), 'match', 'matches')} in {_count(len(names), 'file', 'files')}"
        return ToolOutput("\n".join([head, _render(matches[:MAX_SHOWN], root, call.cwd), *notes]), meta)

    return ToolDefinition(
        name="grep",
        description=DESCRIPTION,
        parameters=GrepArgs,
        execute=execute,
        kind="search",
        changes=False,
        is_concurrency_safe=lambda _args: True,
        inside_workspace=lambda args, call: is_inside(call.cwd, args.path or "."),
    )


def _render(matches: list[Match], root: Path, cwd: Path) -> str:
    lines: list[str] = []
    for name, group in groupby(matches, key=lambda match: match.name):
        lines.append(shown_from(root / name, cwd))
        lines += (f"  {match.line}: {_shown(match.text)}" for match in group)
    return "\n".join(lines)


def _shown(text: str) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= MAX_LINE:
        return marked(text)[0]
    return marked(raw[:MAX_LINE].decode("utf-8", "ignore"))[0] + f" … ({len(raw) - MAX_LINE:,} more bytes)"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
