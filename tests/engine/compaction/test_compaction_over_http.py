"""Compaction over a real socket: what was sent, summaries too, is what the stored log gives back."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from pathlib import Path

import pytest

from dsh_tui.cli import main
from dsh_tui.engine.agent.agent import Agent, AgentOptions
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent, ResumeAgent
from dsh_tui.engine.compaction.service import COMPACTION
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.requests import RequestBook
from tests.fakes.model_server import ModelServer, reply, status

LONG = "Everything that was found out so far. " * 80
TOO_LONG = json.dumps(
    {"error": {"message": "This model's maximum context length is 131072 tokens. However, you requested "
               "140000 tokens.", "type": "invalid_request_error", "code": "invalid_request_error"}}
)  # fmt: skip


async def talk(agent: Agent, *prompts: str) -> None:
    for prompt in prompts:
        agent.send(prompt)
        await agent.when_idle()


async def test_every_body_is_in_the_log_after_compaction_resume_and_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project := tmp_path / "project").mkdir()
    async with ModelServer() as server:
        environ = {
            "PATH": "/usr/bin:/bin",
            "DSH_TUI_HOME": str(tmp_path / "home"),
            "DSH_HOME": str(tmp_path / "none"),
            "DEEPSEEK_BASE_URL": server.url,
            "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        }
        product = await Product.start(StartOptions(cwd=project, environ=environ, invariants=True))
        root = product.engine.root
        try:
            meta = {"cwd": str(project)}
            handle = root[AGENTS].create(CreateAgent(options=AgentOptions(), meta=meta))
            agent = handle.agent
            server.push(
                reply(LONG), reply("Two."), reply("We spoke of 修复.", thinking="Hm."), reply("Three.")
            )
            await talk(agent, "one", "two")
            root[COMPACTION].compact(agent, "the names")
            await talk(agent, "three")
            server.push(status(400, TOO_LONG))
            sent = len(server.requests)
            await talk(agent, "too much")
            assert len(server.requests) == sent + 1  # the same body is not sent again
            ended = agent.session.events[-1].data["reason"]
            assert (ended["kind"], ended["code"]) == ("error", "CONTEXT_WINDOW_EXCEEDED")
            assert "131072" in ended["message"]
            assert "140000" in ended["message"]
            await handle.dispose()
            resume = ResumeAgent(session_id=agent.id, options=AgentOptions())
            handle = await root[AGENTS].resume(resume)
            server.push(reply("Four."))
            await talk(handle.agent, "four")
            await handle.dispose()
            bodies = [request.raw for request in server.requests]
            stored = await asyncio.to_thread(root[PERSISTENCE].inspect, agent.id)
            fork_meta, seed = product.fork(stored, None)
            handle = root[AGENTS].create(CreateAgent(options=AgentOptions(), meta=fork_meta, seed=seed))
            server.push(reply("Five."))
            await talk(handle.agent, "five")
            fork = handle.agent.id
            await handle.dispose()
        finally:
            await product.dispose()
        assert [request.refused for request in server.requests if request.refused] == []
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        assert rebuilt(agent.id) == bodies
        assert rebuilt(fork) == [request.raw for request in server.requests]
    path = find_log(tmp_path / "home" / "sessions", agent.id)
    assert path is not None
    events = read_log(path).events
    assert check_log(events) is None
    book = RequestBook(events, request_body)
    broken = [found.broken for row in book.rows if (found := book.view(row.index)).broken]
    placed = next(event for event in events if event.surface_op and event.surface_op["op"] == "replace")
    assert [(one.words, one.seq) for one in broken if one] == [("history was summarised", placed.seq)]


async def test_a_request_that_is_refused_as_too_long_is_made_anew_and_all_are_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project := tmp_path / "project").mkdir()
    (project / "notes.txt").write_text("".join(f"note {number} 修复\n" for number in range(1_500)))
    looks = reply(tool_calls=[("read", {"file_path": "notes.txt"})])
    async with ModelServer([looks, reply("Read."), looks, reply("Read again.")], window=13_000) as server:
        environ = {
            "PATH": "/usr/bin:/bin",
            "DSH_TUI_HOME": str(tmp_path / "home"),
            "DSH_HOME": str(tmp_path / "none"),
            "DEEPSEEK_BASE_URL": server.url,
            "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        }
        start = StartOptions(cwd=project, environ=environ, mode="full", invariants=True)
        product = await Product.start(start)
        try:
            meta = {"cwd": str(project)}
            handle = product.engine.root[AGENTS].create(CreateAgent(options=AgentOptions(), meta=meta))
            await talk(handle.agent, "read it", "and again")
            await handle.dispose()
        finally:
            await product.dispose()
        refused = [request.refused for request in server.requests]
        assert [bool(why) for why in refused] == [False, False, False, True, False]
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        assert rebuilt(handle.agent.id) == [request.raw for request in server.requests]
    path = find_log(tmp_path / "home" / "sessions", handle.agent.id)
    assert path is not None
    events = read_log(path).events
    assert check_log(events) is None
    assert events[-1].data["reason"]["kind"] == "completed"
    book = RequestBook(events, request_body)
    broken = [found.broken for row in book.rows if (found := book.view(row.index)).broken]
    assert [(one.words, one.event) for one in broken if one] == [
        ("long tool results were shortened", "compact/prune")
    ]


def rebuilt(session_id: str) -> list[bytes]:
    """What ``sessions requests ID --all --raw`` prints."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        assert main(["sessions", "requests", session_id, "--all", "--raw"]) == 0
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().split(b"\n")[:-1]
