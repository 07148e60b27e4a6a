"""Cancelling around tools: every call is answered, so the history stays valid."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dsh_tui.engine.kernel import Next
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from dsh_tui.engine.tools.events import POST_EXECUTE, PRE_EXECUTE
from tests.fakes.loop_app import LoopApp, assert_rebuilds, endings, outline
from tests.fakes.scripted_provider import calls


async def test_a_cancel_while_a_tool_runs_answers_every_call(app: LoopApp) -> None:
    started = asyncio.Event()

    async def body(call: ToolCall) -> ToolOutput:
        started.set()
        stopped = asyncio.Event()
        call.signal.on_cancel(stopped.set)
        await stopped.wait()
        return ToolOutput("half done")

    app.add_tool("work", body)
    app.provider.will_say(calls(("c1", "work"), ("c2", "work"), ("c3", "work"), words="Going."))
    agent = app.create().agent
    agent.send("Go")
    await started.wait()
    agent.cancel()
    await agent.when_idle()
    assert endings(agent.session) == ["aborted"]
    assert [line for line in outline(agent.session.events) if line.startswith("tool/")] == [
        "tool/call c1",
        "tool/result c1",
        "tool/call c2",
        "tool/result c2",
        "tool/call c3",
        "tool/result c3",
    ]
    agent.send("Again")
    await agent.when_idle()
    assert_rebuilds(app, agent.session)


@pytest.mark.parametrize("seam", [PRE_EXECUTE, POST_EXECUTE])
async def test_a_cancel_around_a_tool_answers_its_call(app: LoopApp, seam: Any) -> None:
    async def body(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    async def strike(call: ToolCall, _other: object, following: Next[Any]) -> Any:
        call.agent.cancel()
        return await following()

    app.add_tool("work", body)
    app.root.on(seam, strike)
    app.provider.will_say(calls(("c1", "work"), ("c2", "work")))
    agent = app.create().agent
    agent.send("Go")
    await agent.when_idle()
    assert endings(agent.session) == ["aborted"]
    agent.send("Again")
    await agent.when_idle()
    assert_rebuilds(app, agent.session)
