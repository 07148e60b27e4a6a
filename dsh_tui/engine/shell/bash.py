"""The ``bash`` tool: run one command, and wait for it or not.

Source: capabilities B1, B2, B6; schema ``SEED-ERA tool-bash``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.base.frozen import FrozenDict, JsonObject
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.sandbox.escalation import Escalation, in_preview, policy_asked
from dsh_tui.engine.sandbox.service import Sandbox
from dsh_tui.engine.shell.jobs import ShellJobs
from dsh_tui.engine.shell.render import render_result
from dsh_tui.engine.shell.seam import SHELL_PROGRESS, ShellError, ShellExecutor, ShellRequest, ShellResult
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.errors import ABORTED, ErrorInfo

DEFAULT_TIMEOUT_MS: Final = 120_000
MAX_TIMEOUT_MS: Final = 600_000

DESCRIPTION = f"""\
Run a bash command and return its output and exit status.
- Every call is a fresh non-login shell in the session's directory: no `cd`, variable or alias carries over. \
Use `workdir` instead of `cd`.
- stdin is empty and there is no terminal: pass flags such as `--yes` instead of answering prompts.
- Prefer `read`, `write`, `edit`, `glob` and `grep` to cat, heredocs, sed, find and grep.
- Limit: {DEFAULT_TIMEOUT_MS // 1000} s, or `timeoutMs` up to {MAX_TIMEOUT_MS // 1000} s. Processes left \
behind with `&` are stopped when the command ends.
- For servers, watchers and long jobs set `run_in_background`: it returns a task id at once, without a \
limit. You are told when it ends; look with `bash_output`, end it with `bash_kill`.
- Long output keeps its end, and the whole goes to a file that the result names. Quote paths with spaces."""


class BashArgs(BaseModel):
    """Arguments of `bash`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    command: str = Field(min_length=1, description="The command, as for `bash -c`.")
    description: str = Field(description="What it does, in five to ten words, for the person who approves.")
    timeoutMs: float = Field(  # noqa: N815  # the wire's name
        default=DEFAULT_TIMEOUT_MS, gt=0, description="Time limit in milliseconds."
    )
    workdir: str | None = Field(
        default=None, description="Directory to run in; absolute, or relative to the session's directory."
    )
    run_in_background: bool = Field(default=False, description="Return at once and let it run.")


class ConfinedBashArgs(Escalation, BashArgs):
    """The same where commands can be confined."""


def bash_tool(
    ctx: Context, shell: ShellExecutor, jobs: ShellJobs, sandbox: Sandbox | None = None
) -> ToolDefinition[BashArgs]:
    """The tool, running its commands on ``shell``, in the bounds that the sandbox sets."""

    async def execute(args: BashArgs, call: ToolCall) -> ToolOutput:
        request = _request(args, call, None if sandbox is None else sandbox.bounds(call, policy_asked(args)))
        if args.run_in_background:
            job_id = await jobs.start(call.agent, request)
            return ToolOutput(
                f"Started in the background as {job_id}. Look at it with bash_output, end it with bash_kill.",
                {"jobId": job_id},
            )

        def on_line(line: str) -> None:
            ctx.emit(SHELL_PROGRESS, call.session.id, call.call_id, line)

        result = await shell.run(request, call.signal, on_line)
        error = ErrorInfo(name=ShellError.__name__, code=ABORTED) if result.aborted else None
        return ToolOutput(render_result(result), _meta(result), result.aborted, error)

    async def preview(args: BashArgs, call: ToolCall) -> JsonObject:
        return FrozenDict(
            card="command",
            command=args.command,
            cwd=str(_directory(args, call)),
            description=args.description,
            **in_preview(args),
        )

    return ToolDefinition(
        name="bash",
        description=DESCRIPTION,
        parameters=BashArgs if sandbox is None or not sandbox.confines else ConfinedBashArgs,
        execute=execute,
        kind="execute",
        confined=sandbox is not None,
        preview=preview,
        inside_workspace=lambda _args, _call: False,
    )


def _request(args: BashArgs, call: ToolCall, bounds: Bounds | None) -> ShellRequest:
    timeout_ms = max(1, min(int(args.timeoutMs), MAX_TIMEOUT_MS))
    return ShellRequest(
        command=args.command,
        cwd=_directory(args, call),
        session_id=call.session.id,
        label=call.call_id,
        timeout_ms=None if args.run_in_background else timeout_ms,
        bounds=bounds,
    )


def _directory(args: BashArgs, call: ToolCall) -> Path:
    if not args.workdir:
        return call.cwd
    return call.cwd / Path(args.workdir).expanduser()


def _meta(result: ShellResult) -> JsonObject:
    meta: dict[str, object] = {
        "exitCode": result.exit_code,
        "signal": result.signal,
        "timedOut": result.timed_out,
        "durationMs": result.duration_ms,
        "truncated": result.stdout.truncated or result.stderr.truncated,
    }
    if result.sandbox is not None:
        meta["sandbox"] = {
            "policy": result.sandbox.policy,
            "enforcement": result.sandbox.enforcement,
            "denied": result.sandbox.denied,
        }
    spilled = [
        stream.spill_path
        for stream in (result.stdout, result.stderr)
        if stream.truncated and stream.spill_path is not None
    ]
    if spilled:
        meta["spillPath"] = str(spilled[0])
    return FrozenDict(meta)
