"""Live checks: a dispatch that breaks a rule reaches no listener."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dsh_tui.engine.agent.events import AGENT_STATUS
from dsh_tui.engine.invariants import plugin as invariants_plugin
from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.invariants.log.facts import TodoCheck
from dsh_tui.engine.invariants.plugin import InvariantsConfig
from dsh_tui.engine.invariants.service import INVARIANTS
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.config import CallConfig, ToolSchema
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.scope import scope_target
from dsh_tui.engine.session import plugin as sessions_plugin
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.system_prompt.assembly import ASSEMBLE, Assembly
from dsh_tui.engine.tools.decisions import PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.events import EXECUTE, PRE_EXECUTE
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, ask
from tests.fakes.scripted_provider import Gate, calls, text


@pytest.fixture
async def app(root: Context, clock: FakeClock) -> LoopApp:
    loop_app = LoopApp(root, clock)
    await loop_app.start()
    return loop_app


async def body(_call: ToolCall) -> ToolOutput:
    return ToolOutput("done")


async def test_a_request_that_is_not_what_the_log_says_is_not_sent(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([gate, *text("Hi")])
    agent = app.create().agent
    agent.send("go")
    await gate.reached()
    (request,) = app.provider.requests
    assert isinstance(request, ModelRequest)
    thawed: CallConfig = {**request.config}
    for changed in (
        replace(request, messages=(*request.messages, request.messages[0])),
        replace(request, messages=()),
        replace(request, system="Another prompt."),
        replace(request, config=thawed),
        replace(request, session_id="nobody"),
    ):
        with pytest.raises(InvariantError) as caught:
            _ = [chunk async for chunk in app.root[LLM].stream(changed)]
        assert caught.value.owner == "request"
    gate.open()
    await agent.when_idle()
    assert app.provider.requests == [request]


async def test_an_agents_events_are_sent_in_its_own_scope_and_statuses_change(app: LoopApp) -> None:
    agent = app.create().agent
    with pytest.raises(InvariantError, match="scope: agent/status"):
        app.root.emit(AGENT_STATUS, agent, "running")
    own = scope_target(app.root, agent)
    with pytest.raises(InvariantError, match="idle is told a second time"):
        own.emit(AGENT_STATUS, agent, "idle")


async def test_tools_keep_their_stages(app: LoopApp) -> None:
    seen: list[ToolCall] = []
    tools: list[AnyTool] = []

    async def look(call: ToolCall, tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        seen.append(call)
        tools.append(tool)
        return await following()

    app.root.on(PRE_EXECUTE, look)
    app.add_tool("work", body)
    app.provider.will_say(calls(("c1", "work")))
    agent = app.create().agent
    await ask(agent, "go")

    async def nothing() -> ToolOutput:
        return ToolOutput("")

    with pytest.raises(InvariantError, match="execute after nothing"):
        await scope_target(app.root, agent).waterfall(
            EXECUTE, nothing, replace(seen[0], call_id="c9"), tools[0]
        )


async def test_an_assembly_names_each_tool_once(app: LoopApp) -> None:
    agent = app.create().agent
    tool: ToolSchema = {"name": "work", "description": "", "parameters": {}}
    twice = Assembly("You.", (tool, tool))

    async def as_it_is() -> Assembly:
        return twice

    with pytest.raises(InvariantError, match="prompt: tools need names"):
        await scope_target(app.root, agent).waterfall(ASSEMBLE, as_it_is, agent, twice)


async def test_a_companion_of_ones_own_watches_and_leaves_with_its_plugin(app: LoopApp) -> None:
    class NoTodos(TodoCheck):
        """Refuses every plan."""

        owner = "no-todos"

        def check(self, event: Event) -> None:
            self.refuse(f"a plan at {event.seq}")

    fiber = app.root.fork("mine")
    invariants = app.root[INVARIANTS]
    invariants.watch_logs(fiber.ctx, "no-todos", NoTodos)
    with pytest.raises(InvariantError, match="mounted already"):
        invariants.watch_logs(app.root, "no-todos", NoTodos)
    session = app.create().agent.session
    with pytest.raises(InvariantError, match="no-todos: a plan at 1"):
        append_idle(session, "test", "todo/write", {"todos": []})
    await fiber.dispose()
    session.append("todo/write", {"todos": []})


async def test_a_name_is_taken_even_where_its_companion_is_left_out(root: Context, clock: FakeClock) -> None:
    await root.plugin(sessions_plugin, clock)
    await root.plugin(invariants_plugin, InvariantsConfig(leave_out=("todo",)))
    session = root[SESSIONS].create()
    append_idle(session, "test", "todo/write", {"todos": [{"content": " x", "status": "pending"}]})
    with pytest.raises(InvariantError, match="mounted already"):
        root[INVARIANTS].watch_logs(root, "todo", TodoCheck)
