"""The ``bash_output`` tool: what a background command said since the last look.

Source: capabilities B1, B2; schema ``SEED-ERA tool-bash``.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.shell.jobs import ShellJobs
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

DESCRIPTION = """\
Read what a background command has printed since the last look, and whether it still runs. Returns at once; \
you are told when the command ends, so don't poll in a loop."""


class BashOutputArgs(BaseModel):
    """Arguments of `bash_output`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    task_id: str = Field(description="The id that `bash` returned, such as bash-1.")


def bash_output_tool(jobs: ShellJobs) -> ToolDefinition[BashOutputArgs]:
    """The tool. It looks at the jobs of its own session only."""

    async def execute(args: BashOutputArgs, call: ToolCall) -> ToolOutput:
        text, result = jobs.read(call.session.id, args.task_id)
        return ToolOutput(text, {"jobId": args.task_id, "running": result is None})

    return ToolDefinition(
        name="bash_output",
        description=DESCRIPTION,
        parameters=BashOutputArgs,
        execute=execute,
        kind="read",
        changes=False,
        inside_workspace=lambda _args, _call: True,
    )
