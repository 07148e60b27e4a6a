"""Background commands of each session: ``bash-1``, ``bash-2``, … Published as service ``shell-jobs``.

A job belongs to its session: ids are easy to guess, and mean nothing elsewhere. When one ends, its
agent is told once, unless it has seen the end already; an idle agent is not woken. Jobs end with
their agent. Source: capabilities B2 (background).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.errors import AgentDisposedError
from dsh_tui.engine.kernel import Context, Emit, ServiceKey
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.shell.render import render_progress, status_words
from dsh_tui.engine.shell.seam import ShellExecutor, ShellRequest, ShellResult, ShellTask
from dsh_tui.engine.tools.errors import ToolError

MOST_AT_ONCE: Final = 10
_REMEMBERED: Final = 50
"""Finished jobs of one session whose output can still be read."""

SHELL_JOBS_CHANGED: Emit[[str]] = Emit("shell/jobs-changed")
"""Session id: a job of it came or ended."""


class JobError(ToolError):
    """There is no such job here, no room for another, or no session any more."""

    code = "SHELL_UNKNOWN_JOB"


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job, for whoever lists them."""

    id: str
    command: str
    status: str
    running: bool


@dataclass(slots=True, eq=False)
class _Job:
    id: str
    agent: Agent
    command: str
    task: ShellTask
    end_seen: bool = False
    watcher: asyncio.Task[None] | None = None


@dataclass(slots=True)
class _Owner:
    last: int = 0
    jobs: dict[str, _Job] = field(default_factory=dict)


class ShellJobs:
    """Starts, reads and ends background commands."""

    def __init__(self, ctx: Context, shell: ShellExecutor, *, most_at_once: int = MOST_AT_ONCE) -> None:
        self._ctx = ctx
        self._shell = shell
        self._most_at_once = most_at_once
        self._owners: dict[str, _Owner] = {}

    async def start(self, agent: Agent, request: ShellRequest) -> str:
        """Start a command and return its job id.

        Raises:
            JobError: the session runs as many as it may.
            ShellError: it did not start.
        """
        owner = self._owners.setdefault(agent.session.id, _Owner())
        live = [job for job in owner.jobs.values() if job.task.result is None]
        if len(live) >= self._most_at_once:
            names = ", ".join(job.id for job in live)
            raise JobError(
                f"{len(live)} background commands run already ({names}). End one with bash_kill first.",
                code="SHELL_TOO_MANY_JOBS",
            )
        owner.last += 1
        job_id = f"bash-{owner.last}"
        task = await self._shell.start(request)
        if self._owners.get(agent.session.id) is not owner:
            task.stop()
            raise JobError("The session ended while the command started; it was stopped.")
        job = _Job(job_id, agent, request.command, task)
        owner.jobs[job_id] = job
        job.watcher = asyncio.create_task(self._watch(job), name=f"{agent.session.id} {job_id}")
        self._forget_oldest(owner)
        self._ctx.emit(SHELL_JOBS_CHANGED, agent.session.id)
        return job_id

    def command(self, session_id: str, job_id: str) -> str:
        """What the job runs.

        Raises:
            JobError: the session has no such job.
        """
        return self._find(session_id, job_id).command

    def read(self, session_id: str, job_id: str) -> tuple[str, ShellResult | None]:
        """What the job said since the last look, as text, and its result once it is over.

        Raises:
            JobError: the session has no such job.
        """
        job = self._find(session_id, job_id)
        result = job.task.result
        job.end_seen = job.end_seen or result is not None
        return render_progress(*job.task.read_new(), result), result

    async def kill(self, session_id: str, job_id: str) -> tuple[str, ShellResult]:
        """End the job, and return what it still had to say.

        Raises:
            JobError: the session has no such job.
        """
        job = self._find(session_id, job_id)
        job.end_seen = True
        job.task.stop()
        result = await job.task.wait()
        return render_progress(*job.task.read_new(), result), result

    def list(self, session_id: str) -> tuple[JobRow, ...]:
        """All jobs of the session that are remembered, oldest first."""
        owner = self._owners.get(session_id, _Owner())
        return tuple(
            JobRow(job.id, job.command, status_words(job.task.result), job.task.result is None)
            for job in owner.jobs.values()
        )

    async def end_session(self, session_id: str) -> None:
        """Stop and forget all jobs of a session."""
        owner = self._owners.pop(session_id, None)
        await self._end(() if owner is None else owner.jobs.values())

    async def close(self) -> None:
        """Stop and forget everything."""
        owners, self._owners = list(self._owners.values()), {}
        await self._end(job for owner in owners for job in owner.jobs.values())

    async def _end(self, jobs: Iterable[_Job]) -> None:
        ending = tuple(jobs)
        for job in ending:
            job.end_seen = True
            job.task.stop()
        await asyncio.gather(
            *(job.watcher for job in ending if job.watcher is not None), return_exceptions=True
        )

    async def _watch(self, job: _Job) -> None:
        result = await job.task.wait()
        session_id = job.agent.session.id
        self._ctx.emit(SHELL_JOBS_CHANGED, session_id)
        if job.end_seen:
            return
        notice = (
            f"Background command {job.id} has ended ({status_words(result)}): {job.command[:200]}\n"
            f'Its output is available from bash_output with task_id "{job.id}".'
        )
        with contextlib.suppress(AgentDisposedError):  # nobody is left to be told
            job.agent.inject(notice, source=plugin_source("shell"))

    def _find(self, session_id: str, job_id: str) -> _Job:
        jobs = self._owners.get(session_id, _Owner()).jobs
        job = jobs.get(job_id.strip())
        if job is None:
            known = f" Known: {', '.join(jobs)}." if jobs else " There are none in this session."
            raise JobError(f"There is no background command {job_id!r}.{known}")
        return job

    def _forget_oldest(self, owner: _Owner) -> None:
        finished = [job.id for job in owner.jobs.values() if job.task.result is not None]
        for job_id in finished[:-_REMEMBERED]:
            del owner.jobs[job_id]


SHELL_JOBS: ServiceKey[ShellJobs] = ServiceKey("shell-jobs")
