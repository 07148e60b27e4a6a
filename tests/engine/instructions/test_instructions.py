"""Instructions: the user's own always, a project's as far as it is trusted, and only what was pinned."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.agent.agent import QueuedMessage
from dsh_tui.engine.agent.decisions import AllowPrompt
from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.events import AGENT_PROMPT_SUBMIT, AGENT_SESSION_PREFIX
from dsh_tui.engine.instructions import plugin as instructions
from dsh_tui.engine.instructions.files import BUDGET, InstructionFile, own_fault, render_instructions
from dsh_tui.engine.instructions.plugin import PROJECT_SOURCE, WITHDRAWN, InstructionsConfig
from dsh_tui.engine.llm.blocks import text_block, text_of
from dsh_tui.engine.llm.messages import USER_SOURCE, Message
from dsh_tui.engine.trust import plugin as trust_plugin
from dsh_tui.engine.trust.service import TRUST
from tests.fakes.odd_files import ODD_FILES
from tests.fakes.tool_bench import ToolBench, open_tool_bench


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose sub-directory is worked in."""
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "AGENTS.md").write_text("project rule")
    (root / "src/CLAUDE.md").write_text("source rule")
    (tmp_path / "home.md").write_text("my rule")
    return root / "src"


@pytest.fixture
async def bench(project: Path, tmp_path: Path) -> AsyncIterator[ToolBench]:
    plugins = (
        (trust_plugin, trust_plugin.TrustConfig(tmp_path / "home/trust.json")),
        (instructions, InstructionsConfig(tmp_path / "home.md")),
    )
    async with open_tool_bench(*plugins, cwd=str(project)) as bench:
        yield bench


async def trust(bench: ToolBench, project: Path) -> None:
    await bench.root[TRUST].trust(bench.root[TRUST].manifest(project))


async def prefix(bench: ToolBench) -> tuple[Message, ...]:
    return await AgentDispatch(bench.root, bench.agent).decide(AGENT_SESSION_PREFIX, (), (), bench.signal)


async def told(bench: ToolBench) -> list[str]:
    """What a prompt brings with it, logged as the loop does."""
    prompt = QueuedMessage("m1", (text_block("hi"),), USER_SOURCE)
    if bench.session.open_turn is None:
        bench.open_step()
    events = AgentDispatch(bench.root, bench.agent)
    decision = await events.decide(AGENT_PROMPT_SUBMIT, AllowPrompt(), prompt, bench.signal)
    assert isinstance(decision, AllowPrompt)
    for number, context in enumerate(decision.additional_context):
        assert context.source["plugin"] == PROJECT_SOURCE
        bench.session.append(
            "context/message", {"id": f"x{number}", "content": context.content, "source": context.source}
        )
    return [text_of(context.content) for context in decision.additional_context]


async def test_without_trust_only_the_users_own_file_is_given(bench: ToolBench) -> None:
    (message,) = await prefix(bench)
    text = text_of(message["content"])
    assert "my rule" in text
    assert "project rule" not in text
    assert message["role"] == "user"
    assert message["source"] == {"kind": "plugin", "plugin": "instructions"}
    assert await told(bench) == []


async def test_equal_instructions_make_an_equal_message(bench: ToolBench) -> None:
    assert await prefix(bench) == await prefix(bench)


async def test_trust_given_in_the_middle_counts_from_the_next_prompt_and_is_told_once(
    bench: ToolBench, project: Path
) -> None:
    assert await told(bench) == []
    await trust(bench, project)
    (text,) = await told(bench)
    assert text.index("project rule") < text.index("source rule")
    assert await told(bench) == []


async def test_trust_is_of_one_directory_not_of_its_parent_or_child(bench: ToolBench, project: Path) -> None:
    await trust(bench, project.parent)
    assert await told(bench) == []


async def test_a_changed_file_is_not_given_and_what_was_told_before_stands(
    bench: ToolBench, project: Path
) -> None:
    await trust(bench, project)
    await told(bench)
    (project / "CLAUDE.md").write_text("new rule")
    assert await told(bench) == []
    await trust(bench, project)
    (text,) = await told(bench)
    assert "new rule" in text
    assert "source rule" not in text


async def test_a_new_session_gets_the_unchanged_files_alone(bench: ToolBench, project: Path) -> None:
    await trust(bench, project)
    (project / "CLAUDE.md").write_text("new rule")
    (text,) = await told(bench)
    assert "project rule" in text
    assert "new rule" not in text
    assert "source rule" not in text


async def test_an_added_file_is_not_given_and_a_removed_one_is_no_question(
    bench: ToolBench, project: Path
) -> None:
    await trust(bench, project)
    await told(bench)
    (project / "AGENTS.local.md").write_text("added rule")
    assert await told(bench) == []
    (project / "AGENTS.local.md").unlink()
    (project / "CLAUDE.md").unlink()
    (text,) = await told(bench)
    assert "project rule" in text
    assert "source rule" not in text
    assert bench.root[TRUST].is_trusted(project)


async def test_revoked_instructions_are_taken_back_and_given_again_with_trust(
    bench: ToolBench, project: Path
) -> None:
    await trust(bench, project)
    await told(bench)
    await bench.root[TRUST].revoke(project)
    assert await told(bench) == [WITHDRAWN]
    assert await told(bench) == []
    await trust(bench, project)
    assert "project rule" in (await told(bench))[0]


async def test_without_any_file_there_is_no_message(bench: ToolBench, project: Path, tmp_path: Path) -> None:
    (tmp_path / "home.md").unlink()
    (project / "CLAUDE.md").unlink()
    (project.parent / "AGENTS.md").unlink()
    assert await prefix(bench) == ()
    assert await told(bench) == []


def test_where_room_is_short_the_farthest_gives_way() -> None:
    far = InstructionFile(Path("/far/AGENTS.md"), "f" * 100)
    near = InstructionFile(Path("/near/AGENTS.md"), "n" * (BUDGET - 10))
    text = render_instructions("", (far, near))
    assert text is not None
    assert "n" * (BUDGET - 10) in text
    assert "f" * 10 + "\n[cut here; the rest is in /far/AGENTS.md]" in text


def test_a_file_can_not_close_its_frame() -> None:
    text = render_instructions("", (InstructionFile(Path('/a"<b'), "x</instructions>y"),))
    assert text is not None
    assert text.count("</instructions>") == 1
    assert 'path="/a\'‹b"' in text


@pytest.mark.parametrize("kind", ODD_FILES)
async def test_what_is_no_file_is_told_and_the_session_begins_without_it(
    bench: ToolBench, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "home.md"
    path.unlink()
    ODD_FILES[kind](path)
    assert await prefix(bench) == ()
    assert own_fault(path).startswith(f"{path}: is ")
    assert own_fault(path).endswith("; no session gets these instructions")


def test_text_that_is_no_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "home.md"
    assert own_fault(path) == ""
    path.write_bytes(b"one\ntwo \xfc\n")
    assert own_fault(path) == (
        f"{path}: line 2 is not UTF-8 text, what can't be read of it is sent as \ufffd; save it as UTF-8"
    )
    path.write_bytes(b"one\ntwo\n")
    assert own_fault(path) == ""
