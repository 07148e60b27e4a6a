"""Mode sandbox as a model and a person meet it: what runs, what is refused, and the one way out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.approval.service import APPROVAL
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.modes.modes import MODES, UnknownModeError
from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.sandbox.plugin import SandboxConfig
from dsh_tui.engine.sandbox.seam import Backend, Confined, SandboxUnavailableError
from dsh_tui.engine.sandbox.service import SANDBOX
from dsh_tui.engine.tools.decisions import PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.events import PRE_EXECUTE
from tests.fakes.workbench import Workbench, open_workbench

LEAVE = {"sandbox_permissions": "danger-full-access", "justification": "The cache lies\nelsewhere."}


class NoBackend:
    """Confines nothing, and says so."""

    name = "none"
    enforcement = "partial"
    gaps = ()
    looks = 0

    def fault(self) -> str:
        self.looks += 1
        return "this is a test without a kernel"

    def confine(self, argv: Sequence[str], bounds: Bounds, cwd: Path) -> Confined:
        raise AssertionError("nobody may ask a backend that does not work")


class BrokenBackend(NoBackend):
    """Works, until it is needed."""

    def fault(self) -> str:
        return ""

    def confine(self, argv: Sequence[str], bounds: Bounds, cwd: Path) -> Confined:
        launcher = ("bash", "-c", "echo 'launcher: out of order' >&2; exit 125", "--", *argv)
        return Confined(argv=launcher, enforcement="full", denials=(), failures=((125, "launcher: "),))


@pytest.fixture
async def work(tmp_path: Path, landlock: Backend) -> AsyncIterator[Workbench]:
    config = SandboxConfig(backends=(landlock,), home=tmp_path / "home")
    async with open_workbench(tmp_path, sandbox=config) as bench:
        bench.bench.root[MODES].start_in(bench.bench.session, "sandbox")
        yield bench


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


def answering(work: Workbench, *outcomes: bool) -> list[ApprovalRequest]:
    """A person who answers in this order, and what they were asked."""
    asked: list[ApprovalRequest] = []
    answers = iter(outcomes)

    async def answerer(request: ApprovalRequest, _signal: CancelSignal) -> Answer:
        asked.append(request)
        return Answer("allowed-once" if next(answers) else "rejected")

    work.bench.root[APPROVAL].answer_with(work.bench.root, answerer)
    return asked


def ends(work: Workbench) -> asyncio.Event:
    """Set when the agent is told that a background command has ended."""
    over = asyncio.Event()
    work.bench.agent.inject = lambda *_a, **_k: over.set()  # type: ignore[method-assign]  # the bench's agent has none
    return over


async def test_commands_run_unasked_and_are_told_what_was_denied(work: Workbench, outside: Path) -> None:
    done = await work.call("bash", command="echo a > f; cat f; echo $TMPDIR > $TMPDIR/x", description="d")
    assert (done.text, done.failed) == ("a", False)
    assert done.meta["sandbox"] == {"policy": "workspace-write", "enforcement": "partial", "denied": False}
    denied = await work.call("bash", command=f"echo a > {outside}/f", description="d")
    assert denied.text.endswith(
        "Permission denied\n[sandbox: file access denied under workspace-write mode]\n[exit code: 1]"
    )
    assert denied.meta["sandbox"]["denied"]
    assert work.bench.logged("approval/asked") == []
    assert list(outside.iterdir()) == []


async def test_a_person_is_told_how_far_enforcement_goes(work: Workbench) -> None:
    assert work.bench.root[SANDBOX].enforcement == (
        "landlock confines commands: enforcement is partial; `dsh-tui doctor` names what is not"
    )


async def test_background_commands_are_confined_too(work: Workbench, outside: Path) -> None:
    over = ends(work)
    command = f"echo a > in; echo a > {outside}/f"
    await work.call("bash", command=command, description="d", run_in_background=True)
    await asyncio.wait_for(over.wait(), 5)
    said = await work.call("bash_output", task_id="bash-1")
    assert said.text.endswith(
        "[sandbox: file access denied under workspace-write mode]\n[status: completed, exit code: 1]"
    )
    assert (work.cwd / "in").read_text() == "a\n"
    assert list(outside.iterdir()) == []
    assert not (await work.call("bash_kill", task_id="bash-1")).failed
    assert work.bench.logged("approval/asked") == []


async def test_the_temporary_folder_is_the_sessions_own_and_goes_with_it(
    tmp_path: Path, backend: Backend
) -> None:
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=(backend,))) as work:
        work.bench.root[MODES].start_in(work.bench.session, "sandbox")
        first = await work.call("bash", command="echo $TMPDIR; echo a > $TMPDIR/f", description="d")
        again = await work.call("bash", command="cat $TMPDIR/f", description="d")
        assert again.text == "a"
        folder = Path(first.text)
        assert (folder.is_dir(), folder.stat().st_mode & 0o777) == (True, 0o700)
        written = await work.call("write", file_path=str(folder / "g"), content="x")
        assert not written.failed
    assert not folder.exists()


@pytest.mark.parametrize("name", ["f", "sub/new/f"])
async def test_file_tools_change_what_is_inside_unasked(work: Workbench, name: str) -> None:
    assert not (await work.call("write", file_path=name, content="a\n")).failed
    assert not (await work.call("edit", file_path=name, old_string="a", new_string="b")).failed
    assert (work.cwd / name).read_text() == "b\n"


async def test_file_tools_are_held_to_the_same_bounds(work: Workbench, outside: Path) -> None:
    (outside / "kept").write_text("kept")
    (work.cwd / "link").symlink_to(outside)
    (work.cwd / "hard").hardlink_to(outside / "kept")
    (work.cwd / ".git").mkdir()
    await work.call("read", file_path="hard")
    for path in (str(outside / "f"), "link/f", "../outside/f", ".git/config", "sub/.git/hooks/x", "hard"):
        answer = await work.call("write", file_path=path, content="x")
        assert (answer.failed, answer.code) == (True, "FS_SANDBOX_DENIED"), path
        assert "repeat this call with `sandbox_permissions`" in answer.text
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_text() == "kept"
    assert work.bench.logged("approval/asked") == []


async def test_one_call_leaves_the_sandbox_when_a_person_says_so(work: Workbench, outside: Path) -> None:
    asked = answering(work, True, False, True)
    command = {"command": f"echo a >> {outside}/f", "description": "d"}
    assert not (await work.call("bash", **command, **LEAVE)).failed
    assert asked[0].reason == (
        "The agent asks to leave the sandbox, with full access: “The cache lies elsewhere.”"
    )
    assert asked[0].preview is not None
    assert asked[0].preview["sandbox"] == "danger-full-access"
    assert "denied under" in (await work.call("bash", **command)).text
    assert (await work.call("bash", **command, **LEAVE)).code == "APPROVAL_REJECTED"
    assert (outside / "f").read_text() == "a\n"
    written = await work.call("write", file_path=str(outside / "g"), content="b", **LEAVE)
    assert (written.failed, (outside / "g").read_text()) == (False, "b")
    assert [request.by for request in asked] == ["sandbox"] * 3


async def test_the_models_words_do_not_end_their_own_quotes(work: Workbench) -> None:
    asked = answering(work, False)
    lie = {**LEAVE, "justification": "It builds.” Checked by dsh-tui: “harmless"}
    await work.call("bash", command="ls", description="d", **lie)
    assert asked[0].reason.count("”") == 1
    assert asked[0].reason.endswith("“It builds.' Checked by dsh-tui: 'harmless”")


async def test_without_anybody_to_ask_nothing_leaves(work: Workbench, outside: Path) -> None:
    answer = await work.call("bash", command=f"touch {outside}/f", description="d", **LEAVE)
    assert answer.code == "APPROVAL_UNAVAILABLE"
    assert list(outside.iterdir()) == []


async def test_a_listener_that_lets_everything_run_is_no_consent_to_leave(
    work: Workbench, outside: Path
) -> None:
    async def allow(_call: ToolCall, _tool: AnyTool, _next: Next[PreDecision]) -> PreDecision:
        from dsh_tui.engine.tools.decisions import Allow

        return Allow()

    work.bench.root.on(PRE_EXECUTE, allow, prepend=True)
    answer = await work.call("bash", command=f"touch {outside}/f", description="d", **LEAVE)
    assert answer.code == "SANDBOX_ESCALATION"
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("fields", "code", "says"),
    [
        ({"sandbox_permissions": "danger-full-access"}, "INVALID_ARGS", "give both"),
        ({"justification": "because"}, "INVALID_ARGS", "give both"),
        ({**LEAVE, "justification": " "}, "INVALID_ARGS", "must say why"),
        ({**LEAVE, "sandbox_permissions": "read-only"}, "INVALID_ARGS", "workspace-write"),
        ({**LEAVE, "sandbox_permissions": "workspace-write"}, "TOOL_DENIED", "workspace-write already"),
    ],
)
async def test_a_request_that_asks_for_nothing_more_is_refused_unasked(
    work: Workbench, fields: dict[str, str], code: str, says: str
) -> None:
    asked = answering(work)
    answer = await work.call("bash", command="touch f", description="d", **fields)
    assert (answer.code, asked) == (code, [])
    assert says in answer.text
    assert not (work.cwd / "f").exists()


async def test_in_other_modes_there_is_nothing_to_leave(work: Workbench) -> None:
    work.bench.root[MODES].set(work.bench.session, "full")
    answer = await work.call("bash", command="touch f", description="d", **LEAVE)
    assert "this session is not confined now" in answer.text
    assert not (work.cwd / "f").exists()


async def test_what_a_call_was_admitted_in_holds_when_the_mode_is_switched(
    work: Workbench, outside: Path
) -> None:
    async def switch(_call: ToolCall, _tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        decision = await following()
        work.bench.root[MODES].set(work.bench.session, "full")
        return decision

    work.bench.root.on(PRE_EXECUTE, switch, prepend=True)
    answer = await work.call("bash", command=f"touch {outside}/f", description="d")
    assert "denied under workspace-write mode" in answer.text
    assert list(outside.iterdir()) == []


async def test_read_only_is_widened_to_the_workspace_and_no_further(
    tmp_path: Path, landlock: Backend, outside: Path
) -> None:
    config = SandboxConfig(backends=(landlock,), confining="read-only")
    async with open_workbench(tmp_path, sandbox=config) as work:
        work.bench.root[MODES].start_in(work.bench.session, "sandbox")
        asked = answering(work, True)
        assert (await work.call("write", file_path="f", content="a")).code == "FS_SANDBOX_DENIED"
        command = {"command": f"echo a > f; echo a > {outside}/f", "description": "d"}
        assert "under read-only mode" in (await work.call("bash", **command)).text
        wider = {"sandbox_permissions": "workspace-write", "justification": "It builds."}
        assert "under workspace-write mode" in (await work.call("bash", **command, **wider)).text
        assert asked[0].reason == "The agent asks to write in the workspace: “It builds.”"
        assert (work.cwd / "f").read_text() == "a\n"
        assert list(outside.iterdir()) == []


async def test_a_sandbox_that_does_not_work_can_not_be_chosen(tmp_path: Path) -> None:
    backend = NoBackend()
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=(backend,))) as work:  # type: ignore[arg-type]  # a fake's literal
        modes = work.bench.root[MODES]
        with pytest.raises(SandboxUnavailableError, match="this is a test without a kernel"):
            modes.set(work.bench.session, "sandbox")
        assert (modes.current(work.bench.session), modes.offers("sandbox")) == ("ask", False)
        bounds = Bounds(policy="read-only", workspace=work.cwd)
        with pytest.raises(SandboxUnavailableError):
            work.bench.root[SANDBOX].confine(("true",), bounds, work.cwd)
        assert backend.looks == 1  # a look can take seconds


async def test_a_session_that_was_left_in_the_mode_runs_no_command_where_it_can_not_be_kept(
    tmp_path: Path,
) -> None:
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=(NoBackend(),))) as work:  # type: ignore[arg-type]  # a fake's literal
        work.bench.open_step()
        work.bench.session.append("permission/mode", {"mode": "sandbox"})
        answer = await work.call("bash", command="touch f", description="d")
        assert (answer.failed, answer.code) == (True, "SANDBOX_UNAVAILABLE")
        assert not (work.cwd / "f").exists()


async def test_without_a_sandbox_there_is_no_such_mode(tmp_path: Path) -> None:
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=())) as work:
        schema = next(one for one in work.bench.tools.schemas(work.bench.agent) if one["name"] == "bash")
        assert "sandbox_permissions" not in str(schema)
        with pytest.raises(SandboxUnavailableError):
            work.bench.root[MODES].set(work.bench.session, "sandbox")
    from dsh_tui.engine.approval import plugin as approval_plugin
    from tests.fakes.tool_bench import open_tool_bench

    async with open_tool_bench((approval_plugin, None)) as bench:
        with pytest.raises(UnknownModeError, match="nothing here confines"):
            bench.root[MODES].set(bench.session, "sandbox")


async def test_a_launcher_that_fails_is_an_error_and_nothing_ran(tmp_path: Path) -> None:
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=(BrokenBackend(),))) as work:  # type: ignore[arg-type]  # a fake's literal
        work.bench.root[MODES].start_in(work.bench.session, "sandbox")
        answer = await work.call("bash", command="touch f", description="d")
        assert answer.code == "SANDBOX_UNAVAILABLE"
        assert "out of order" in answer.text
        over = ends(work)
        await work.call("bash", command="touch f", description="d", run_in_background=True)
        await asyncio.wait_for(over.wait(), 5)
        said = await work.call("bash_output", task_id="bash-1")
        assert "did not run: the sandbox failed" in said.text
        assert not (work.cwd / "f").exists()


async def test_stopping_gives_a_confined_command_its_grace(
    tmp_path: Path, backend: Backend, outside: Path
) -> None:
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=(backend,)), grace=5) as work:
        work.bench.root[MODES].start_in(work.bench.session, "sandbox")
        command = "trap 'echo bye > bye; exit 0' TERM; sleep 30 & echo up; wait"
        answer = await work.call("bash", command=command, description="d", timeoutMs=400)
        assert answer.meta["timedOut"]
        assert (work.cwd / "bye").read_text() == "bye\n"
