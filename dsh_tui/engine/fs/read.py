"""The ``read`` tool: lines of a text file with their numbers, or the names in a directory.

The envelope can't be broken from inside: every line of content starts with its number, and
what can't be seen is shown as a mark. Source: capabilities B3, B6; schema ``tool-fs``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.base.visible import marked
from dsh_tui.engine.fs.change import shown_from
from dsh_tui.engine.fs.errors import NOT_FOUND, NOT_REGULAR_FILE, FsError
from dsh_tui.engine.fs.events import FS_OBSERVED
from dsh_tui.engine.fs.names import show_name, show_path
from dsh_tui.engine.fs.paths import locate
from dsh_tui.engine.fs.seam import Entry, FileSystem, TextWindow
from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.scope import scope_target
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.errors import INVALID_ARGS

MAX_LINES: Final = 2_000
MAX_LINE: Final = 2_000
"""Characters of one line."""
MAX_BYTES: Final = 51_200
"""Of content, numbers included."""

DESCRIPTION = f"""\
Read a text file; returns its lines as `<number>: <text>`. Prefer it to cat, head, tail and sed.
- Up to {MAX_LINES:,} lines and {MAX_BYTES // 1024} KiB at once; lines longer than {MAX_LINE:,} characters \
are cut. Continue with `offset`.
- A file must be read before `edit` or `write` may change it; any part counts.
- A directory lists its names. Names with unusual characters are in double quotes and can be used as shown."""


class ReadArgs(BaseModel):
    """Arguments of `read`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    file_path: str = Field(description="Absolute, or relative to the session's directory.")
    offset: float = Field(default=1, ge=1, le=2**53, description="First line, counting from 1. Default: 1.")
    limit: float = Field(
        default=MAX_LINES,
        ge=1,
        le=2**53,
        description=f"Most lines; default and maximum {MAX_LINES}.",
    )


def read_tool(ctx: Context, files: FileSystem) -> ToolDefinition[ReadArgs]:
    """The tool. It tells ``fs/observed`` what the session has seen."""

    async def execute(args: ReadArgs, call: ToolCall) -> ToolOutput:
        path, real = await locate(call.cwd, args.file_path)
        kind = await files.kind(path)
        if kind == "absent":
            scope_target(ctx, call.agent).emit(FS_OBSERVED, call, real, None)
            raise FsError(f"{shown_from(path, call.cwd)} does not exist.", code=NOT_FOUND)
        if kind == "directory":
            return _directory(path, await files.list_dir(path), args)
        if kind == "other":
            raise FsError(f"{show_path(path)} is not a regular file.", code=NOT_REGULAR_FILE)
        window = await files.read_window(path, int(args.offset), min(int(args.limit), MAX_LINES))
        scope_target(ctx, call.agent).emit(FS_OBSERVED, call, window.path, window.version)
        return _file(path, window, call.cwd)

    return ToolDefinition(
        name="read",
        description=DESCRIPTION,
        parameters=ReadArgs,
        execute=execute,
        kind="read",
        changes=False,
        is_concurrency_safe=lambda _args: True,
        inside_workspace=lambda args, call: is_inside(call.cwd, args.file_path),
    )


def _file(path: Path, window: TextWindow, cwd: Path) -> ToolOutput:
    if window.first > max(window.total, 1):
        raise FsError(
            f"offset {window.first} is beyond the end: the file has {window.total} lines.", code=INVALID_ARGS
        )
    lines, symbols = _numbered(window)
    last = window.first + len(lines) - 1
    if not window.total:
        footer = "(The file is empty.)"
    elif last < window.total:
        footer = f"(Lines {window.first} to {last} of {window.total}. Continue with offset={last + 1}.)"
    else:
        footer = f"(End of file: {window.total} {'line' if window.total == 1 else 'lines'}.)"
    if symbols:
        footer += (
            "\n(Marks such as ␛ for U+001B or ⟦U+202E⟧ stand for characters that can't be seen: "
            f"{symbols} here. An edit must name the real ones.)"
        )
    meta = {"path": shown_from(path, cwd), "lines": len(lines), "total": window.total}
    return ToolOutput(_envelope(path, "file", lines, footer), meta)


def _numbered(window: TextWindow) -> tuple[list[str], int]:
    lines: list[str] = []
    size = symbols = 0
    for number, line in enumerate(window.lines, start=window.first):
        text, found = marked(line[:MAX_LINE])
        cut = f" … ({len(line) - MAX_LINE:,} more characters)" if len(line) > MAX_LINE else ""
        shown = f"{number}: {text}{cut}"
        size += len(shown.encode("utf-8", "replace")) + 1
        if size > MAX_BYTES and lines:
            break
        lines.append(shown)
        symbols += found
    return lines, symbols


def _directory(path: Path, entries: tuple[Entry, ...], args: ReadArgs) -> ToolOutput:
    first, count = int(args.offset), min(int(args.limit), MAX_LINES)
    chosen = entries[first - 1 : first - 1 + count]
    marks = {"directory": "/", "link": "@", "file": "", "other": "="}
    lines = [show_name(entry.name) + marks[entry.kind] for entry in chosen]
    last = first - 1 + len(chosen)
    footer = f"({len(entries)} entries.)"
    if last < len(entries):
        footer = f"(Entries {first} to {last} of {len(entries)}. Continue with offset={last + 1}.)"
    meta = {"path": show_path(path), "lines": len(chosen), "total": len(entries)}
    return ToolOutput(_envelope(path, "directory", lines, footer), meta)


def _envelope(path: Path, kind: str, lines: list[str], footer: str) -> str:
    body = "".join(f"{line}\n" for line in lines)
    return f"<path>{show_path(path)}</path>\n<type>{kind}</type>\n<content>\n{body}</content>\n{footer}"
