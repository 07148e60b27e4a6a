"""An agent whose session was taken over stops, and what it said stays in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.guard import lost_session
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.persistence import checkpoint
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.lease import plugin as leases
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, ask, endings, last
from tests.fakes.scripted_provider import Gate, calls, delta, text


@pytest.fixture
async def app(root: Context, clock: FakeClock, tmp_path: Path) -> LoopApp:
    made = LoopApp(root, clock)
    await made.start()
    await root.plugin(leases, leases.LeaseConfig(clock=clock))
    await root.plugin(jsonl, {"root": tmp_path, "clock": clock})
    await root.plugin(checkpoint)
    await root.plugin(lost_session)
    return made


async def test_a_turn_that_streams_is_stopped_when_the_lease_is_lost(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say(text("first"), [delta("Half"), gate])
    handle = app.create("s1")
    await ask(handle.agent, "one")
    handle.agent.send("two")
    await gate.reached()
    path = app.root[PERSISTENCE].locate("s1")
    assert path is not None
    app.clock.jump(300)
    await app.clock.advance(240)
    await handle.agent.when_idle()
    stored = path.read_bytes()
    assert endings(handle.agent.session) == ["completed", "aborted"]
    reason = last(handle.agent.session, "turn/end")["reason"]
    assert reason["cause"] == {"kind": "ownership-lost"}
    assert "while this program was asleep" in reason["reason"]
    assert last(handle.agent.session, "assistant/message")["content"][0]["text"] == "Half"
    await handle.dispose()
    assert path.read_bytes() == stored


async def test_nothing_is_asked_and_no_body_runs_after_a_loss(app: LoopApp) -> None:
    ran: list[str] = []

    async def body(call: ToolCall) -> ToolOutput:
        ran.append(call.call_id)
        return ToolOutput("done")

    app.add_tool("touch", body)
    app.provider.will_say([lambda: app.clock.jump(300), *calls(("c1", "touch"))])
    handle = app.create("s1")
    await ask(handle.agent, "go")
    assert (ran, len(app.provider.requests)) == ([], 1)
    assert endings(handle.agent.session) == ["aborted"]
    await ask(handle.agent, "again")
    assert len(app.provider.requests) == 1
    assert last(handle.agent.session, "turn/end")["reason"]["code"] == "OWNERSHIP_LOST"


async def test_an_agent_that_is_idle_stays_idle(app: LoopApp) -> None:
    handle = app.create("s1")
    await ask(handle.agent, "go")
    app.clock.jump(300)
    await app.clock.advance(240)
    assert endings(handle.agent.session) == ["completed"]
    await handle.dispose()
