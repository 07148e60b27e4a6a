"""The ``edit`` tool: replace one exact piece of text in a file, or every occurrence of it.

Source: capabilities B1, B3; schema ``tool-fs``.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.base.frozen import FrozenDict, JsonObject
from dsh_tui.engine.fs.change import Changes, Rewrite
from dsh_tui.engine.fs.errors import NOT_FOUND, FsError
from dsh_tui.engine.fs.events import FS_EDIT_INTENT
from dsh_tui.engine.fs.matching import replace_text
from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.fs.seam import TextFile
from dsh_tui.engine.fs.workspace import changes_inside
from dsh_tui.engine.sandbox.escalation import Escalation, in_preview, policy_asked
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

DESCRIPTION = """\
Replace a piece of text in an existing file. Prefer it to `write` for changing part of a file, and to shell \
commands such as sed.
- Read the file in this session first; if it changed since, the edit is refused and you read it again.
- `old_string` is matched literally, white space included, and must occur exactly once unless \
`replace_all` is set. Add neighbouring lines to make it unique. Leave out the line numbers that `read` shows.
- Encoding, line ends, mode bits and the final newline are kept. Write "\\n" for every line end."""


class EditArgs(BaseModel):
    """Arguments of `edit`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    file_path: str = Field(description="Absolute, or relative to the session's directory.")
    old_string: str = Field(description="The exact text to replace; not empty.")
    new_string: str = Field(description="The text to put there; empty deletes.")
    replace_all: bool = Field(default=False, description="Replace every occurrence. Default: false.")


class ConfinedEditArgs(Escalation, EditArgs):
    """The same where changes can be confined."""


def edit_tool(changes: Changes) -> ToolDefinition[EditArgs]:
    """The tool, making its changes through ``changes``."""

    async def preview(args: EditArgs, call: ToolCall) -> JsonObject:
        card = await changes.preview(call, args.file_path, FS_EDIT_INTENT, _rewrite(args))
        return FrozenDict(card, **in_preview(args))

    async def execute(args: EditArgs, call: ToolCall) -> ToolOutput:
        changes.check_bounds(call, args.file_path, policy_asked(args))
        return await changes.make(call, args.file_path, FS_EDIT_INTENT, _rewrite(args))

    return ToolDefinition(
        name="edit",
        description=DESCRIPTION,
        parameters=ConfinedEditArgs if changes.can_be_confined else EditArgs,
        execute=execute,
        kind="edit",
        confined=changes.is_confined,
        preview=preview,
        inside_workspace=lambda args, call: changes_inside(call, args.file_path),
    )


def _rewrite(args: EditArgs) -> Rewrite:
    def rewrite(before: TextFile | None, path: Path) -> tuple[str, str]:
        if before is None:
            raise FsError(f"{show_path(path)} does not exist. Use `write` to create it.", code=NOT_FOUND)
        text, places = replace_text(
            before.text, args.old_string, args.new_string, path, every=args.replace_all
        )
        return text, "Edited" if places == 1 else f"Edited {places} places in"

    return rewrite
