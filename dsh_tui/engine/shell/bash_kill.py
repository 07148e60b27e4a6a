"""The ``bash_kill`` tool: end a background command and all its processes.

Source: capabilities B1, B2; schema ``SEED-ERA tool-bash``.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.base.frozen import FrozenDict, JsonObject
from dsh_tui.engine.shell.jobs import ShellJobs
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

DESCRIPTION = """\
End a background command with all its processes: first SIGTERM, after 3 seconds SIGKILL. Returns the output \
that was not read yet."""


class BashKillArgs(BaseModel):
    """Arguments of `bash_kill`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    task_id: str = Field(description="The id that `bash` returned, such as bash-1.")


def bash_kill_tool(jobs: ShellJobs) -> ToolDefinition[BashKillArgs]:
    """The tool. It ends jobs of its own session only."""

    async def execute(args: BashKillArgs, call: ToolCall) -> ToolOutput:
        text, _ = await jobs.kill(call.session.id, args.task_id)
        return ToolOutput(text, {"jobId": args.task_id, "running": False})

    async def preview(args: BashKillArgs, call: ToolCall) -> JsonObject:
        return FrozenDict(
            card="generic", text=f"End {args.task_id}: {jobs.command(call.session.id, args.task_id)}"
        )

    return ToolDefinition(
        name="bash_kill",
        description=DESCRIPTION,
        parameters=BashKillArgs,
        execute=execute,
        kind="execute",
        confined=True,
        preview=preview,
        inside_workspace=lambda _args, _call: True,
    )
