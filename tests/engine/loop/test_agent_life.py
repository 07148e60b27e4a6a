"""An agent's life: created, announced, resumed, ended; nothing is lost and nothing is left."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest

from dsh_tui.engine.agent.agent import Agent, AgentHandle
from dsh_tui.engine.agent.decisions import ContinuationDecision
from dsh_tui.engine.agent.errors import AgentDisposedError, AgentError, AgentExistsError, NoAgentFactoryError
from dsh_tui.engine.agent.events import (
    AGENT_CREATED,
    AGENT_DISPOSED,
    AGENT_DROPPED,
    AGENT_SESSION_START,
    AGENT_STATUS,
    AGENT_TURN_CONTINUATION,
    Continuation,
)
from dsh_tui.engine.agent.registry import ResumeAgent
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.persistence.seam import PERSISTENCE, LoadedSession, Persistence
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED, SESSION_FLUSH
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.loop_app import LoopApp, assert_rebuilds, dialogue, endings, last, outline, settle
from tests.fakes.scripted_provider import Gate, calls, delta, finish


async def test_disposing_while_streaming_closes_and_stores_the_log_before_anything_is_taken_away(
    app: LoopApp,
) -> None:
    order: list[str] = []

    async def flush(session: Session) -> None:
        await asyncio.sleep(0)
        order.append(f"flushed {session.events[-1].type}")

    app.root.on(SESSION_FLUSH, flush)
    app.root.on(AGENT_STATUS, lambda _agent, status: order.append(status))
    app.root.on(AGENT_DISPOSED, lambda _agent: order.append("agent/disposed"))
    app.root.on(SESSION_DISPOSED, lambda _session: order.append("session/disposed"))
    gate = Gate()
    app.provider.will_say([delta("Half"), gate, finish()])
    handle = app.create("s1")
    handle.agent.ctx.effect(lambda: lambda: order.append("scope unwound"))
    handle.agent.send("Hi")
    await gate.reached()
    await handle.dispose()
    assert endings(handle.agent.session) == ["disposed"]
    assert "assistant/message Half" in outline(handle.agent.session.events)
    assert order == [
        "running",
        "disposed",
        "flushed turn/end",
        "scope unwound",
        "agent/disposed",
        "flushed turn/end",
        "session/disposed",
    ]


async def test_disposing_twice_is_disposing_once(app: LoopApp) -> None:
    told: list[Agent] = []
    app.root.on(AGENT_DISPOSED, told.append)
    handle = app.create()
    await asyncio.gather(handle.dispose(), handle.dispose())
    await handle.dispose()
    assert told == [handle.agent]


async def test_the_id_is_free_again_after_the_end(app: LoopApp) -> None:
    handle = app.create("s1")
    with pytest.raises(AgentExistsError):
        app.create("s1")
    await handle.dispose()
    assert app.agents.get("s1") is None
    assert app.sessions.get("s1") is None
    again = app.create("s1")
    assert app.agents.list() == (again.agent,)


async def test_prompts_that_wait_when_the_agent_ends_are_handed_back(app: LoopApp) -> None:
    dropped: list[str] = []
    app.root.on(AGENT_DROPPED, lambda _agent, gone: dropped.extend(one.id for one in gone))
    handle = app.create()
    waiting = handle.agent.send("too late")
    await handle.dispose()
    assert dropped == [waiting]
    assert len(handle.agent.session.events) == 0


async def test_a_prompt_whose_turn_cannot_open_is_handed_back(app: LoopApp) -> None:
    dropped: list[str] = []
    app.root.on(AGENT_DROPPED, lambda _agent, gone: dropped.extend(one.id for one in gone))
    agent = app.create().agent
    source = {"kind": "plugin", "plugin": "test"}
    agent.session.append("turn/start", {"turn": 1, "trigger": {"kind": "compaction", "source": source}})
    waiting = agent.send("blocked by another turn")
    await agent.when_idle()
    assert dropped == [waiting]
    agent.session.append("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    agent.send("now")
    await agent.when_idle()
    assert endings(agent.session) == ["completed", "completed"]


async def test_a_disposed_agent_takes_nothing_more(app: LoopApp) -> None:
    handle = app.create()
    await handle.dispose()
    agent = handle.agent
    assert agent.status == "disposed"
    await agent.when_idle()
    agent.cancel()
    for talk in (agent.send, agent.steer):
        with pytest.raises(AgentDisposedError):
            talk("Hi")
    with pytest.raises(AgentDisposedError):
        agent.inject("Hi", source=plugin_source("test"))


async def test_disposing_waits_for_a_running_tool(app: LoopApp) -> None:
    started, released = asyncio.Event(), asyncio.Event()

    async def body(_call: ToolCall) -> ToolOutput:
        started.set()
        await released.wait()
        return ToolOutput("late")

    app.add_tool("work", body)
    app.provider.will_say(calls(("c1", "work")))
    handle = app.create()
    handle.agent.send("Go")
    await started.wait()
    ending = asyncio.ensure_future(handle.dispose())
    await settle()
    assert not ending.done()
    released.set()
    await ending
    assert outline(handle.agent.session.events)[-3:] == [
        "tool/result c1",
        "step/end 1",
        "turn/end 1 disposed",
    ]


async def test_unloading_the_loop_ends_its_agents_in_order(app: LoopApp) -> None:
    gate = Gate()
    app.provider.will_say([delta("Half"), gate])
    agent = app.create("s1").agent
    agent.send("Hi")
    await gate.reached()
    await app.loop_fiber.dispose()
    assert endings(agent.session) == ["disposed"]
    assert app.agents.list() == ()
    with pytest.raises(NoAgentFactoryError):
        app.create("s1")


async def test_an_agent_ends_with_its_owner(app: LoopApp, root: Context) -> None:
    owner = root.fork("owner")
    agent = app.create("s1", owner=owner.ctx).agent
    await owner.dispose()
    assert agent.status == "disposed"
    assert app.sessions.get("s1") is None


async def test_killing_the_drivers_task_still_closes_the_log(app: LoopApp) -> None:
    flushed: list[str] = []

    async def flush(session: Session) -> None:
        flushed.append(session.events[-1].type)

    app.root.on(SESSION_FLUSH, flush)
    gate = Gate()
    app.provider.will_say([delta("Half"), gate])
    agent = app.create().agent
    agent.send("Hi")
    await gate.reached()
    for task in asyncio.all_tasks():
        if getattr(task.get_coro(), "__name__", "") == "drive":
            task.cancel()
    await settle()
    assert endings(agent.session) == ["disposed"]
    assert flushed == ["turn/end"]
    assert agent.status == "disposed"


async def test_a_listener_of_created_may_veto_and_nothing_is_left(app: LoopApp) -> None:
    told: list[Agent] = []

    def veto(_agent: Agent) -> None:
        raise RuntimeError("not today")

    app.root.on(AGENT_DISPOSED, told.append)
    undo = app.root.on(AGENT_CREATED, veto)
    with pytest.raises(RuntimeError, match="not today"):
        app.create("s1")
    await settle()
    assert len(told) == 1
    assert (app.agents.list(), app.sessions.list()) == ((), ())
    await undo()
    app.create("s1")


async def test_context_injected_at_the_start_of_a_session_is_in_the_first_request(app: LoopApp) -> None:
    starts: list[str] = []

    def listen(agent: Agent, start: str) -> None:
        starts.append(start)
        agent.inject("today is Monday", source=plugin_source("date"))

    app.root.on(AGENT_SESSION_START, listen)
    agent = app.create().agent
    agent.send("Hi")
    await agent.when_idle()
    assert starts == ["startup"]
    assert dialogue(app.provider.requests[0]) == ["user: today is Monday", "user: Hi"]
    assert agent.session.last_turn == 2


async def test_a_listener_in_one_agents_scope_hears_only_that_agent(app: LoopApp) -> None:
    heard: list[str] = []
    one, two = app.create("one").agent, app.create("two").agent
    one.ctx.on(AGENT_STATUS, lambda agent, status: heard.append(f"{agent.id} {status}"))
    for agent in (one, two):
        agent.send("Hi")
        await agent.when_idle()
    assert heard == ["one running", "one idle"]


class StoredSessions:
    """Persistence that knows the sessions it was given."""

    root = Path("/nowhere")

    def __init__(self, *sessions: Session) -> None:
        self._sessions = {session.id: session for session in sessions}

    async def prepare(self, session_id: str) -> LoadedSession:
        session = self._sessions[session_id]
        await asyncio.sleep(0)
        return LoadedSession(header=session.header, events=session.events)

    async def discard(self, session_id: str) -> None:
        """Nothing was reserved."""


def stored(*sessions: Session) -> Persistence:
    return cast("Persistence", StoredSessions(*sessions))  # the part that resume needs


async def test_a_resumed_session_goes_on_where_it_ended(app: LoopApp, root: Context) -> None:
    starts: list[str] = []
    handle = app.create("s1")
    handle.agent.send("one")
    await handle.agent.when_idle()
    await handle.dispose()
    root.provide(PERSISTENCE, stored(handle.agent.session))
    app.root.on(AGENT_SESSION_START, lambda _agent, start: starts.append(start))
    agent = (await app.agents.resume(ResumeAgent(session_id="s1"))).agent
    agent.send("two")
    await agent.when_idle()
    assert starts == ["resume"]
    assert agent.session.last_turn == 2
    assert dialogue(app.provider.requests[1]) == ["user: one", "assistant: Ok.", "user: two"]
    assert last(agent.session, "request/header")["reason"] == "resume"
    assert_rebuilds(app, agent.session)
    with pytest.raises(AgentExistsError):
        await app.agents.resume(ResumeAgent(session_id="s1"))


async def test_resuming_without_storage_says_so(app: LoopApp) -> None:
    with pytest.raises(AgentError, match="no session storage"):
        await app.agents.resume(ResumeAgent(session_id="s1"))


async def test_two_resumes_of_one_session_make_one_agent(app: LoopApp, root: Context) -> None:
    handle = app.create("s1")
    await handle.dispose()
    root.provide(PERSISTENCE, stored(handle.agent.session))
    resume = ResumeAgent(session_id="s1")
    results = await asyncio.gather(
        app.agents.resume(resume), app.agents.resume(resume), return_exceptions=True
    )
    assert [isinstance(result, AgentExistsError) for result in results] == [False, True]


async def test_a_turn_in_which_its_own_end_is_asked_for_does_not_wait_for_itself(app: LoopApp) -> None:
    handle = app.create()
    ends: list[asyncio.Task[None]] = []

    async def end(
        _agent: Agent, _asked: Continuation, following: Next[ContinuationDecision]
    ) -> ContinuationDecision:
        ends.append(asyncio.create_task(_end(handle)))
        await asyncio.sleep(0)
        return await following()

    app.root.on(AGENT_TURN_CONTINUATION, end)
    handle.agent.send("Hi")
    await handle.agent.when_idle()
    await ends[0]
    assert endings(handle.agent.session) == ["disposed"]


async def _end(handle: AgentHandle) -> None:
    await handle.dispose()
