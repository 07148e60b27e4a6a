"""The loop over a real socket: a server as strict as the provider accepts all, and the log has its bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from dsh_tui.engine.agent.agent import Agent, AgentOptions
from dsh_tui.engine.agent.decisions import RequestErrorDecision, Retry
from dsh_tui.engine.agent.events import AGENT_REQUEST_ERROR, RequestFailure
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.lossless import dump_bytes, loads
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.deepseek import plugin as deepseek_plugin
from dsh_tui.engine.llm.deepseek.plugin import DeepSeekConfig
from dsh_tui.engine.llm.deepseek.wire import body_bytes
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, ask, endings, last
from tests.fakes.model_server import ModelServer, reply, reset, stall, status

DEEPSEEK = AgentOptions(provider="deepseek", model="deepseek-flash")


@dataclass
class Wired:
    """A running engine whose model is the scripted server."""

    app: LoopApp
    server: ModelServer
    agent: Agent


@pytest.fixture
async def wired(root: Context, clock: FakeClock) -> AsyncIterator[Wired]:
    app = LoopApp(root, clock)
    await app.start()

    async def work(_call: ToolCall) -> ToolOutput:
        return ToolOutput("ünïcode \ud83d half")

    app.add_tool("work", work)
    async with ModelServer() as server:
        config = DeepSeekConfig(api_key=lambda: "key", base_url=server.url)
        await root.plugin(deepseek_plugin, config)
        yield Wired(app, server, app.create(options=DEEPSEEK).agent)
        await root.fiber.dispose()


def stored(session: Session) -> list[Event]:
    """The log as it comes back from disk."""
    rows = [loads(dump_bytes(event.to_json())) for event in session.events]
    return [
        Event(
            row["type"],
            row["seq"],
            row["time"],
            freeze(row["data"]),
            row.get("surfaceOp"),
            row.get("sourceEventSeqs"),
        )
        for row in rows
    ]


def assert_same_bytes(wired: Wired) -> None:
    session = wired.agent.session
    rebuilt = [body_bytes(request.as_request(session.id)) for request in rebuild_requests(stored(session))]
    assert rebuilt == [request.raw for request in wired.server.requests]
    assert [request.refused for request in wired.server.requests] == [None] * len(rebuilt)


async def test_every_body_on_the_wire_is_rebuilt_byte_for_byte(wired: Wired) -> None:
    async def retry(
        _agent: Agent, failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        return Retry() if failed.attempt < 2 else None

    wired.app.root.on(AGENT_REQUEST_ERROR, retry)
    wired.server.push(
        reply(
            "On it.", thinking="Hm.", tool_calls=[("work", {}), ("missing", {"a": 1}), ("work", "not json")]
        ),
        reply("", tool_calls=[("work", {})]),
        reply("Done."),
        status(500, "busy"),
        reply("After a retry."),
        reset("Cut off"),
        reset("Cut off again"),
        reply("Too long", tool_calls=[("work", {})], finish="length"),
        reply("Bye."),
    )
    await ask(wired.agent, "Go", "修复 it", "Again", "And")
    wired.agent.select_model("deepseek", "deepseek-v4-pro", "off")
    await ask(wired.agent, "Last")
    assert endings(wired.agent.session) == [
        "completed",
        "completed",
        "error",
        "max-tokens",
        "completed",
        "completed",
    ]
    assert len(wired.server.requests) == 9
    assert_same_bytes(wired)


@pytest.mark.parametrize("answer", [stall("Half a sentence"), stall(headers=False)])
async def test_a_cancel_hangs_up_at_once_and_the_session_goes_on(wired: Wired, answer: object) -> None:
    wired.server.push(answer)  # type: ignore[arg-type]  # an Answer
    wired.agent.send("Go")
    await wired.server.wait_for_requests(1)
    await asyncio.sleep(0)
    wired.agent.cancel("stopped by the user")
    async with asyncio.timeout(1):
        await wired.agent.when_idle()
    await wired.server.wait_for_disconnects()
    await ask(wired.agent, "Again")
    assert endings(wired.agent.session) == ["aborted", "completed"]
    assert_same_bytes(wired)


async def test_a_missing_key_ends_the_turn_and_nothing_is_sent(wired: Wired, root: Context) -> None:
    config = DeepSeekConfig(api_key=lambda: None, base_url=wired.server.url, route="keyless")
    await root.plugin(deepseek_plugin, config)
    agent = wired.app.create(options=AgentOptions(provider="keyless", model="deepseek-flash")).agent
    await ask(agent, "Hi")
    assert last(agent.session, "turn/end")["reason"]["code"] == "MISSING_CREDENTIAL"
    assert wired.server.requests == []
