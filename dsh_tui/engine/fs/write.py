"""The ``write`` tool: create a file, or replace one as a whole.

Source: capabilities B1, B3; schema ``tool-fs``.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.base.frozen import FrozenDict, JsonObject
from dsh_tui.engine.fs.change import Changes, Rewrite
from dsh_tui.engine.fs.events import FS_WRITE_INTENT
from dsh_tui.engine.fs.seam import TextFile
from dsh_tui.engine.fs.text import line_end, with_line_end
from dsh_tui.engine.fs.workspace import changes_inside
from dsh_tui.engine.sandbox.escalation import Escalation, in_preview, policy_asked
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

DESCRIPTION = """\
Write a whole file: create it (with missing parent directories), or replace all of its content.
- To change part of an existing file, prefer `edit`.
- An existing file must have been read in this session first; if it changed since, the write is refused.
- An existing file keeps its encoding, line ends and mode bits; "\\n" is turned into its line ends."""


class WriteArgs(BaseModel):
    """Arguments of `write`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    file_path: str = Field(description="Absolute, or relative to the session's directory.")
    content: str = Field(description="The complete new content of the file.")


class ConfinedWriteArgs(Escalation, WriteArgs):
    """The same where changes can be confined."""


def write_tool(changes: Changes) -> ToolDefinition[WriteArgs]:
    """The tool, making its changes through ``changes``."""

    async def preview(args: WriteArgs, call: ToolCall) -> JsonObject:
        card = await changes.preview(call, args.file_path, FS_WRITE_INTENT, _rewrite(args))
        return FrozenDict(card, **in_preview(args))

    async def execute(args: WriteArgs, call: ToolCall) -> ToolOutput:
        changes.check_bounds(call, args.file_path, policy_asked(args))
        return await changes.make(call, args.file_path, FS_WRITE_INTENT, _rewrite(args))

    return ToolDefinition(
        name="write",
        description=DESCRIPTION,
        parameters=ConfinedWriteArgs if changes.can_be_confined else WriteArgs,
        execute=execute,
        kind="edit",
        confined=changes.is_confined,
        preview=preview,
        inside_workspace=lambda args, call: changes_inside(call, args.file_path),
    )


def _rewrite(args: WriteArgs) -> Rewrite:
    def rewrite(before: TextFile | None, _path: Path) -> tuple[str, str]:
        if before is None:
            return args.content, "Created"
        text = args.content.removeprefix("\ufeff") if before.format.mark else args.content
        end = line_end(before.text)
        return (with_line_end(text, end) if end else text), "Replaced"

    return rewrite
