from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.persistence import checkpoint
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from dsh_tui.engine.tools.events import TOOL_RESULT
from tests.fakes.fake_clock import FakeClock
from tests.fakes.flaky_disk import FlakyDisk
from tests.fakes.loop_app import LoopApp, ask, endings
from tests.fakes.scripted_provider import calls, text


class Saved:
    """An engine whose sessions are saved to a disk that can fail."""

    def __init__(self, app: LoopApp, root: Context, disk: FlakyDisk) -> None:
        self.app, self.root, self.disk = app, root, disk
        self.stored_when_run: list[list[str]] = []

    def stored(self, session_id: str) -> list[str]:
        path = self.root[PERSISTENCE].locate(session_id)
        return [] if path is None else [event.type for event in read_log(path).events]

    async def body(self, call: ToolCall) -> ToolOutput:
        self.stored_when_run.append(self.stored(call.session.id))
        return ToolOutput("done")


@pytest.fixture
async def saved(root: Context, clock: FakeClock, tmp_path: Path) -> Saved:
    app, disk = LoopApp(root, clock), FlakyDisk()
    await app.start()
    await root.plugin(jsonl, {"root": tmp_path, "clock": clock, "disk": disk})
    await root.plugin(checkpoint)
    made = Saved(app, root, disk)
    app.add_tool("touch", made.body)
    return made


async def test_a_body_runs_only_after_its_call_is_durable(saved: Saved) -> None:
    saved.app.provider.will_say(calls(("c1", "touch")), text("done"))
    handle = saved.app.create("s1")
    await ask(handle.agent, "go")
    (stored,) = saved.stored_when_run
    assert stored[-1] == "tool/call"
    assert "request/header" in stored
    assert endings(handle.agent.session) == ["completed"]


async def test_a_step_costs_two_syncs_at_most(saved: Saved) -> None:
    saved.app.provider.will_say(calls(("c1", "touch")), calls(("c2", "touch"), ("c3", "touch")), text("done"))
    await ask(saved.app.create("s1").agent, "go")
    assert len(saved.stored_when_run) == 3
    steps = 3
    assert saved.disk.syncs <= 2 * steps + 1


async def test_a_full_disk_stops_the_request_and_says_so(saved: Saved) -> None:
    handle = saved.app.create("s1")
    saved.disk.room = 0
    await ask(handle.agent, "go")
    assert saved.app.provider.requests == []
    end = handle.agent.session.events[-1].data["reason"]
    assert end["kind"] == "error"
    assert "No space left on device" in end["message"]
    saved.disk.room = None
    await ask(handle.agent, "again")
    assert endings(handle.agent.session) == ["error", "completed"]
    assert saved.stored("s1")[-1] == "turn/end"


async def test_a_full_disk_stops_the_body_and_tells_the_model(saved: Saved) -> None:
    def fill() -> None:
        saved.disk.room = 0

    def free() -> None:
        saved.disk.room = None

    handle = saved.app.create("s1")
    saved.app.provider.will_say([fill, *calls(("c1", "touch"))], text("sorry"))
    handle.agent.ctx.on(TOOL_RESULT, lambda _call, _output: free())
    await ask(handle.agent, "go")
    assert saved.stored_when_run == []
    (result,) = (event for event in handle.agent.session.events if event.type == "tool/result")
    assert (result.data["isError"], result.data["error"]["code"]) == (True, "WRITE_FAILED")
    assert "No space left on device" in result.data["content"][0]["text"]
    assert endings(handle.agent.session) == ["completed"]
    assert saved.stored("s1") == [event.type for event in handle.agent.session.events]
