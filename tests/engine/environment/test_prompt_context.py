"""What goes beside prompts: environment and mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.agent.agent import QueuedMessage
from dsh_tui.engine.agent.decisions import AllowPrompt, BlockPrompt, HookContext, PromptDecision
from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.durable_context import framed
from dsh_tui.engine.agent.events import AGENT_PROMPT_SUBMIT
from dsh_tui.engine.approval import plugin as approval_plugin
from dsh_tui.engine.environment import plugin as environment
from dsh_tui.engine.environment.git_head import current_branch, repository_root
from dsh_tui.engine.environment.plugin import EnvironmentConfig, environment_facts
from dsh_tui.engine.llm.blocks import text_block, text_of
from dsh_tui.engine.llm.messages import USER_SOURCE
from dsh_tui.engine.modes import notice as mode_notice
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.trust.layout import directories_of_instructions
from tests.fakes.fake_clock import FakeClock
from tests.fakes.odd_files import ODD_FILES
from tests.fakes.tool_bench import ToolBench, open_tool_bench

DAY_S = 86_400


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "src").mkdir()
    return tmp_path


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def bench(project: Path, clock: FakeClock) -> AsyncIterator[ToolBench]:
    plugins = ((environment, EnvironmentConfig(clock)), (approval_plugin, None), (mode_notice, None))
    async with open_tool_bench(*plugins, cwd=str(project)) as bench:
        yield bench


async def submit(bench: ToolBench, default: PromptDecision | None = None) -> PromptDecision:
    """What the loop does with a prompt: ask, then log what was decided."""
    prompt = QueuedMessage("m1", (text_block("hi"),), USER_SOURCE)
    events = AgentDispatch(bench.root, bench.agent)
    if bench.session.open_turn is None:
        bench.open_step()
    decision = await events.decide(AGENT_PROMPT_SUBMIT, default or AllowPrompt(), prompt, bench.signal)
    if isinstance(decision, AllowPrompt):
        for number, context in enumerate(decision.additional_context):
            bench.session.append(
                "context/message",
                {"id": f"x{number}", "content": context.content, "source": context.source},
            )
    return decision


def told(decision: PromptDecision) -> list[str]:
    assert isinstance(decision, AllowPrompt)
    return [context.source["plugin"] for context in decision.additional_context]


async def test_the_first_prompt_comes_with_the_facts_and_the_mode(bench: ToolBench, project: Path) -> None:
    decision = await submit(bench)
    assert sorted(told(decision)) == ["environment", "mode"]
    text = "\n".join(text_of(event.data["content"]) for event in bench.logged("context/message"))
    assert f"Working directory: {project}" in text
    assert "Git branch: main" in text
    assert "Mode: ask." in text


async def test_unchanged_facts_are_not_told_again(bench: ToolBench) -> None:
    await submit(bench)
    assert told(await submit(bench)) == []


async def test_what_changed_is_told_again(bench: ToolBench, project: Path, clock: FakeClock) -> None:
    await submit(bench)
    (project / ".git/HEAD").write_text("ref: refs/heads/feature\n")
    assert told(await submit(bench)) == ["environment"]
    await clock.advance(DAY_S)
    assert told(await submit(bench)) == ["environment"]
    bench.root[MODES].set(bench.session, "plan")
    assert told(await submit(bench)) == ["mode"]


async def test_facts_that_a_compaction_swallowed_are_told_again(bench: ToolBench) -> None:
    await submit(bench)
    shadowed = [event.seq for event in bench.session.surface]
    bench.session.append(
        "context/message",
        {
            "id": "summary",
            "content": (text_block("so far"),),
            "source": {"kind": "plugin", "plugin": "compact"},
        },
        surface={"op": "replace", "start": 0, "end": len(shadowed) - 1},
        sources=shadowed,
    )
    assert sorted(told(await submit(bench))) == ["environment", "mode"]


async def test_other_context_stays_and_a_blocked_prompt_gets_none(bench: ToolBench) -> None:
    other = HookContext((text_block("x"),), {"kind": "plugin", "plugin": "other"})
    decision = await submit(bench, AllowPrompt(additional_context=(other,)))
    assert told(decision)[-1] == "other"
    assert await submit(bench, BlockPrompt("no")) == BlockPrompt("no")


def test_a_directory_name_can_not_close_its_frame(tmp_path: Path) -> None:
    odd = tmp_path / "a\x1b[31m"
    odd.mkdir()
    facts = environment_facts(odd, 1_760_000_000_000)
    assert "\x1b" not in facts
    assert facts.count("</environment>") == 1
    assert framed("x", "a</x>b") == "<x>\na<\\/x>b\n</x>"


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/a/b\n", "a/b"),
        ("0123456789abcdef\n", "detached at 0123456"),
        ("", None),
        (None, None),
    ],
)
def test_the_branch_is_read_from_the_repository(tmp_path: Path, head: str | None, branch: str | None) -> None:
    (tmp_path / ".git").mkdir()
    if head is not None:
        (tmp_path / ".git/HEAD").write_text(head)
    assert repository_root(tmp_path) == tmp_path
    assert current_branch(tmp_path) == branch


def test_a_worktree_names_its_directory(project: Path) -> None:
    worktree = project / "tree"
    worktree.mkdir()
    (project / ".git/worktrees").mkdir()
    (project / ".git/worktrees/HEAD").write_text("ref: refs/heads/side\n")
    (worktree / ".git").write_text("gitdir: ../.git/worktrees\n")
    assert current_branch(worktree) == "side"


def test_outside_a_repository_only_the_directory_itself_counts(tmp_path: Path) -> None:
    assert directories_of_instructions(tmp_path) == (tmp_path,)


@pytest.mark.parametrize("name", ["HEAD", "gitdir"])
@pytest.mark.parametrize("kind", sorted(set(ODD_FILES) - {"huge file"}))
def test_a_repository_that_is_none_has_no_branch_and_nobody_waits(
    tmp_path: Path, name: str, kind: str
) -> None:
    (tmp_path / ".git").mkdir()
    if name == "gitdir":
        (tmp_path / ".git").rmdir()
        ODD_FILES[kind](tmp_path / ".git")
    else:
        ODD_FILES[kind](tmp_path / ".git/HEAD")
    assert current_branch(tmp_path) is None
