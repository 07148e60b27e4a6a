"""The whole product, recorded against a strict model server, runs again without key and server.

Loop, tools, approvals and files are real both times; only the model's side comes from the log.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import BlockView, ToolView, TurnEndView
from dsh_tui.engine.replay import plugin as replay
from dsh_tui.engine.replay.replay import REPLAY
from dsh_tui.engine.session.event import Event
from tests.fakes.model_server import ModelServer, reply

NOWHERE = "http://127.0.0.1:9"
PROMPTS = ("Rename the greeting.", "Does it run?")
REPLIES = (
    reply(
        "I'll look.",
        thinking="Where is it?",
        tool_calls=[("grep", {"pattern": "hello"}), ("read", {"file_path": "greet.py"})],
    ),
    reply(
        "",
        tool_calls=[
            ("edit", {"file_path": "greet.py", "old_string": "hello", "new_string": "good morning"}),
            ("bash", {"command": "rm greet.py", "description": "Remove it"}),
            ("todo_write", {"todos": [{"content": "Greet", "status": "completed"}]}),
        ],
    ),
    reply("Renamed; the *removal* was yours to refuse."),
    reply("", tool_calls=[("bash", {"command": "cat greet.py && pwd", "description": "Show it"})]),
    reply("It does."),
)


@dataclass(frozen=True, slots=True)
class Run:
    """What a run left behind."""

    events: tuple[Event, ...]
    blocks: tuple[BlockView, ...]
    greeting: str


async def allow_all_but_removals(request: ApprovalRequest, _signal: CancelSignal) -> Answer:
    if '"rm ' in request.arguments:
        return Answer("rejected", "keep the file")
    return Answer("allowed-once")


async def run(folder: Path, environ: dict[str, str], config: replay.ReplayConfig | None = None) -> Run:
    project = folder / "project"
    project.mkdir(parents=True)
    (project / "greet.py").write_text('print("hello")\n')
    environ = {"PATH": "/usr/bin:/bin", "DSH_TUI_HOME": str(folder / "home"), **environ}
    product = await Product.start(StartOptions(cwd=project, environ=environ, invariants=True))
    root = product.engine.root
    product.approval.answer_with(root, allow_all_but_removals)
    try:
        if config is not None:
            await root.plugin(replay, config)
        agent = (
            root[AGENTS].create(CreateAgent(options=product.agent_options, meta={"cwd": str(project)})).agent
        )
        for prompt in PROMPTS:
            agent.send(prompt)
            await agent.when_idle()
        if config is not None:
            root[REPLAY].check_complete()
        path = root[PERSISTENCE].locate(agent.id)
    finally:
        await product.dispose()
    assert path is not None
    loaded = read_log(path)
    fold = SessionFold(loaded.header)
    fold.apply_all(loaded.events)
    blocks = tuple(timeless(block) for block in fold.view().blocks)
    return Run(tuple(loaded.events), blocks, (project / "greet.py").read_text())


def timeless(block: BlockView) -> BlockView:
    """A block without what differs from run to run by nature."""
    if isinstance(block, ToolView):
        return replace(block, started=0, duration_ms=None, seq=0)
    if isinstance(block, TurnEndView):
        commands = tuple(replace(run, duration_ms=0) for run in block.receipt.commands)
        return replace(block, duration_ms=0, seq=0, receipt=replace(block.receipt, commands=commands))
    changes: dict[str, Any] = {name: 0 for name in ("time", "started", "duration_ms") if hasattr(block, name)}
    return replace(block, seq=0, **changes)


def moved(block: BlockView, old: Path, new: Path) -> BlockView:
    """A block as it would read in another folder."""
    texts = {
        name: value.replace(str(old), str(new))
        for name in ("text", "output", "arguments")
        if isinstance(value := getattr(block, name, None), str)
    }
    return replace(block, **texts)  # type: ignore[arg-type]  # only fields that it has


async def test_a_recorded_session_runs_again_without_key_and_network(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    async with ModelServer(REPLIES, key="sk-test") as server:
        environ = {"DEEPSEEK_BASE_URL": server.url, "DEEPSEEK_API_KEY": "sk-test"}
        recorded = await run(first, environ)
        assert [request.refused for request in server.requests] == [None] * len(REPLIES)
    config = replay.ReplayConfig(
        events=recorded.events, rewrite=lambda text: text.replace(str(second), str(first))
    )
    again = await run(second, {"DEEPSEEK_BASE_URL": NOWHERE}, config)
    assert again.blocks == tuple(moved(block, first, second) for block in recorded.blocks)
    assert again.greeting == recorded.greeting == 'print("good morning")\n'
    tools = [(block.verb, block.state) for block in again.blocks if isinstance(block, ToolView)]
    assert ("Run", "denied") in tools
    assert [state for _, state in tools].count("ok") == len(tools) - 1
