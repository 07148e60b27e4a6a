"""bash, bash_output and bash_kill as a model meets them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.agent.events import AGENT_DISPOSED
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.shell import plugin as shell_plugin
from dsh_tui.engine.shell.jobs import SHELL_JOBS, SHELL_JOBS_CHANGED, JobError, ShellJobs
from dsh_tui.engine.shell.seam import BASH, SHELL_PROGRESS, ShellRequest, ShellTask
from dsh_tui.engine.tools.arguments import parse_arguments, validate_arguments
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from tests.fakes.workbench import Workbench, open_workbench


@pytest.fixture
def notices(work: Workbench) -> list[str]:
    """What the bench's agent is told; it keeps nothing itself."""
    told: list[str] = []

    def inject(content: str, *, source: Mapping[str, Any]) -> None:
        assert source == {"kind": "plugin", "plugin": "shell"}
        told.append(content)

    work.bench.agent.inject = inject  # type: ignore[method-assign, assignment]  # the bench's agent has none
    return told


def job_ends(work: Workbench) -> asyncio.Event:
    """Set when a job of the session has ended."""
    ended = asyncio.Event()
    jobs = work.bench.root[SHELL_JOBS]

    def changed(session_id: str) -> None:
        if not any(row.running for row in jobs.list(session_id)):
            ended.set()

    work.bench.root.on(SHELL_JOBS_CHANGED, changed)
    return ended


async def test_a_command_gives_text_for_the_model_and_facts_for_the_screen(work: Workbench) -> None:
    answer = await work.call("bash", command="echo hi; exit 3", description="d")
    assert (answer.text, answer.failed) == ("hi\n[exit code: 3]", False)
    facts = {key: answer.meta[key] for key in ("exitCode", "signal", "timedOut", "truncated")}
    assert facts == {"exitCode": 3, "signal": None, "timedOut": False, "truncated": False}
    assert "spillPath" not in answer.meta


async def test_workdir_is_relative_to_the_session_and_a_missing_one_is_named(work: Workbench) -> None:
    (work.cwd / "sub").mkdir()
    assert (await work.call("bash", command="pwd", description="d", workdir="sub")).text == f"{work.cwd}/sub"
    gone = await work.call("bash", command="pwd", description="d", workdir="gone")
    assert (gone.failed, gone.code) == (True, "SHELL_NO_DIRECTORY")
    assert f"{work.cwd}/gone" in gone.text
    assert (await work.call("bash", command="pwd", description="d", workdir="/")).text == "/"


async def test_a_limit_is_kept_and_named(work: Workbench) -> None:
    answer = await work.call("bash", command="sleep 30", description="d", timeoutMs=200)
    assert "[timed out after 200ms]" in answer.text
    assert (answer.failed, answer.meta["timedOut"]) == (False, True)
    assert (await work.call("bash", command="x", description="d", timeoutMs=0)).code == "INVALID_ARGS"


async def test_a_cancelled_command_keeps_what_it_said(work: Workbench) -> None:
    heard = asyncio.Event()
    work.bench.root.on(SHELL_PROGRESS, lambda *_: heard.set())
    running = asyncio.create_task(work.call("bash", command="echo early; sleep 30", description="d"))
    await heard.wait()
    work.bench.signal.cancel("stop")
    answer = await running
    assert (answer.failed, answer.code) == (True, "ABORTED")
    assert "early" in answer.text


async def test_progress_names_the_call(work: Workbench) -> None:
    heard: list[tuple[str, str, str]] = []
    work.bench.root.on(SHELL_PROGRESS, lambda *line: heard.append(line))
    await work.call("bash", command="echo one", description="d")
    assert heard[0] == (work.bench.session.id, "c1", "one")


async def test_long_output_names_its_file(work: Workbench) -> None:
    answer = await work.call("bash", command="seq 1 60000", description="d")
    assert answer.meta["truncated"] is True
    assert Path(answer.meta["spillPath"]).read_text().startswith("1\n2\n")
    assert answer.text.endswith(f"[output truncated; full output: {answer.meta['spillPath']}]")
    assert len(answer.text.encode()) <= 50_000


def asked(work: Workbench, tool: str, raw: str) -> tuple[AnyTool, ToolCall, Any]:
    """A call as it stands before a person, with its tool and its arguments."""
    bench = work.bench
    definition = bench.tools.get(bench.agent, tool)
    assert definition is not None
    call = ToolCall(
        agent=bench.agent,
        session=bench.session,
        turn=1,
        step=1,
        call_id="c1",
        name=tool,
        arguments=raw,
        args=parse_arguments(raw),
        signal=CancelSignal(),
        cwd=work.cwd,
    )
    return definition, call, validate_arguments(definition, raw, call.args)


async def test_the_card_shows_the_whole_command_and_where_it_runs(work: Workbench) -> None:
    raw = '{"command": "a; rm -rf b", "description": "tidy", "workdir": "sub"}'
    definition, call, args = asked(work, "bash", raw)
    assert definition.preview is not None
    assert await definition.preview(args, call) == {
        "card": "command",
        "command": "a; rm -rf b",
        "cwd": f"{work.cwd}/sub",
        "description": "tidy",
    }
    assert definition.inside_workspace is not None
    assert definition.inside_workspace(args, call) is False


async def test_who_approves_the_end_of_a_job_sees_its_command(work: Workbench, notices: list[str]) -> None:
    await work.call("bash", command="sleep 30", description="d", run_in_background=True)
    definition, call, args = asked(work, "bash_kill", '{"task_id": "bash-1"}')
    assert definition.changes
    assert definition.preview is not None
    assert await definition.preview(args, call) == {"card": "generic", "text": "End bash-1: sleep 30"}
    assert notices == []


async def test_a_background_job_is_read_in_pieces_and_its_end_told_once(
    work: Workbench, notices: list[str]
) -> None:
    ended = job_ends(work)
    (work.cwd / "go").unlink(missing_ok=True)
    started = await work.call(
        "bash",
        command="echo one; until test -e go; do sleep 0.02; done; echo two",
        description="d",
        run_in_background=True,
    )
    assert started.meta["jobId"] == "bash-1"
    seen = ""
    while "one" not in seen:
        seen = (await work.call("bash_output", task_id="bash-1")).text
    assert seen == "one\n[status: running]"
    assert (await work.call("bash_output", task_id="bash-1")).text == "(no new output)\n[status: running]"
    (work.cwd / "go").touch()
    await ended.wait()
    await asyncio.sleep(0)
    assert len(notices) == 1
    assert "bash-1 has ended (completed, exit code: 0)" in notices[0]
    assert (await work.call("bash_output", task_id="bash-1")).text == "two\n[status: completed, exit code: 0]"


async def test_a_killed_job_says_how_and_is_not_announced(work: Workbench, notices: list[str]) -> None:
    await work.call("bash", command="echo up; sleep 30", description="d", run_in_background=True)
    killed = await work.call("bash_kill", task_id="bash-1")
    assert killed.text.endswith("[status: killed by SIGTERM]")
    again = await work.call("bash_kill", task_id="bash-1")
    assert again.text == "(no new output)\n[status: killed by SIGTERM]"
    assert notices == []


async def test_jobs_of_another_session_do_not_exist(work: Workbench, notices: list[str]) -> None:
    await work.call("bash", command="sleep 30", description="d", run_in_background=True)
    jobs = work.bench.root[SHELL_JOBS]
    other = work.bench.root[SESSIONS].create(meta={"cwd": str(work.cwd)})
    assert jobs.list(other.id) == ()
    work.bench.agent.session = other  # type: ignore[misc]  # the bench's agent is a plain dataclass
    for tool in ("bash_output", "bash_kill"):
        refused = await work.call(tool, task_id="bash-1")
        assert (refused.failed, refused.code) == (True, "SHELL_UNKNOWN_JOB")
    assert notices == []


async def test_there_are_at_most_ten_jobs_at_once(work: Workbench, notices: list[str]) -> None:
    for _ in range(10):
        await work.call("bash", command="sleep 30", description="d", run_in_background=True)
    refused = await work.call("bash", command="sleep 30", description="d", run_in_background=True)
    assert refused.code == "SHELL_TOO_MANY_JOBS"
    await work.call("bash_kill", task_id="bash-3")
    more = await work.call("bash", command="sleep 30", description="d", run_in_background=True)
    assert more.meta["jobId"] == "bash-11"
    assert notices == []


async def test_a_job_that_starts_while_its_session_ends_is_stopped(work: Workbench) -> None:
    bench = work.bench
    jobs, shell = bench.root[SHELL_JOBS], bench.root[BASH]
    request = ShellRequest(
        command="sleep 30", cwd=work.cwd, session_id=bench.session.id, label="c1", timeout_ms=None
    )
    started: list[ShellTask] = []

    class Slow:
        """The shell of the bench, with the end of the session in every start."""

        run = staticmethod(shell.run)

        async def start(self, request: ShellRequest) -> ShellTask:
            started.append(await shell.start(request))
            await jobs.end_session(bench.session.id)
            return started[0]

    jobs = ShellJobs(bench.root, Slow())
    with pytest.raises(JobError, match="session ended"):
        await jobs.start(bench.agent, request)
    assert (await started[0].wait()).aborted


async def test_jobs_end_with_their_agent_in_silence(work: Workbench, notices: list[str]) -> None:
    await work.call("bash", command="echo $$ > pid; sleep 30", description="d", run_in_background=True)
    ended = job_ends(work)
    work.bench.root.emit(AGENT_DISPOSED, work.bench.agent)
    await ended.wait()
    assert work.bench.root[SHELL_JOBS].list(work.bench.session.id) == ()
    assert notices == []


async def test_reloading_the_plugins_leaves_nothing_behind(tmp_path: Path) -> None:
    async with open_workbench(tmp_path) as work:
        root, agent = work.bench.root, work.bench.agent
        await work.call("bash", command="sleep 30", description="d", run_in_background=True)
        fibers = {fiber.name: fiber for fiber in root.fiber.children}
        await fibers["shell/tools"].dispose()
        assert root.get(SHELL_JOBS) is None
        assert not [name for name in work.bench.tools.names(agent) if name.startswith("bash")]
        await root.plugin(shell_plugin.tools)
        assert [name for name in work.bench.tools.names(agent) if name.startswith("bash")] == [
            "bash",
            "bash_kill",
            "bash_output",
        ]
        assert root[SHELL_JOBS].list(work.bench.session.id) == ()
        await fibers["shell/local"].dispose()
        assert root.get(BASH) is None
        assert root.get(SHELL_JOBS) is None
