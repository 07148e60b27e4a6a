"""Resuming from real files: the log on disk alone gives every request that was ever sent."""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.agent.registry import ResumeAgent
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.persistence.jsonl import plugin as jsonl_plugin
from dsh_tui.engine.persistence.jsonl.plugin import JsonlConfig
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.loop_app import LoopApp, ask, assert_rebuilds, dialogue, endings
from tests.fakes.scripted_provider import Gate, calls, delta


async def test_a_session_goes_on_after_being_stopped_in_mid_sentence(
    app: LoopApp, root: Context, tmp_path: Path
) -> None:
    async def work(_call: ToolCall) -> ToolOutput:
        return ToolOutput("done")

    await root.plugin(jsonl_plugin, JsonlConfig(root=tmp_path))
    app.add_tool("work", work)
    gate = Gate()
    app.provider.will_say(calls(("c1", "work")), [delta("Half"), gate])
    handle = app.create("s1", meta={"cwd": str(tmp_path)})
    handle.agent.inject("from the start", source=plugin_source("test"))
    handle.agent.send("one")
    await gate.reached()
    await handle.dispose()
    resumed = await app.agents.resume(ResumeAgent(session_id="s1"))
    assert endings(resumed.agent.session) == ["completed", "disposed"]
    await ask(resumed.agent, "two")
    assert dialogue(app.provider.requests[-1]) == [
        "user: from the start",
        "user: one",
        "assistant: call c1",
        "user: result c1",
        "assistant: Half",
        "user: two",
    ]
    assert_rebuilds(app, resumed.agent.session)
    await resumed.dispose()
    stored = root[PERSISTENCE].inspect("s1")
    assert rebuild_requests(stored.events) == rebuild_requests(resumed.agent.session.events)
    assert len(rebuild_requests(stored.events)) == 3
