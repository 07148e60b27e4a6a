"""The theorem: whatever happened to an agent, its requests follow from its log."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.decisions import RequestErrorDecision, Retry, RetryStep
from dsh_tui.engine.agent.events import (
    AGENT_REQUEST_ERROR,
    RequestFailure,
)
from dsh_tui.engine.kernel import Next, create_root
from dsh_tui.engine.llm.messages import USER_SOURCE, plugin_source
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import Section
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, assert_rebuilds, endings, types
from tests.fakes.scripted_provider import ScriptedReply, broken, calls, delta, finish, text

TEST = plugin_source("test")

_REPLIES = st.sampled_from(["text", "calls", "fail", "raise", "cut", "length", "cancel"])
_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["send", "inject", "steer", "select", "prompt", "cancel"]),
        st.lists(_REPLIES, max_size=4),
    ),
    min_size=1,
    max_size=6,
)
_DECISIONS = st.lists(st.sampled_from([Retry(), RetryStep(), None]), max_size=6)


def _scripted(kind: str, agent: Agent) -> ScriptedReply:
    replies: dict[str, ScriptedReply] = {
        "text": text("All is well"),
        "calls": calls(("c1", "work"), ("c2", "missing"), words="On it."),
        "fail": [delta("Half"), broken()],
        "raise": [RuntimeError("wire")],
        "cut": [delta("Cut")],
        "length": calls(("c1", "work"), kind="max-tokens", words="Too long"),
        "cancel": [delta("Stop "), lambda: agent.cancel(), delta("here"), finish()],
    }
    return replies[kind]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=_ACTIONS, decisions=_DECISIONS)
async def test_every_request_is_rebuilt_from_the_log_whatever_happened(
    actions: list[tuple[str, list[str]]], decisions: list[RequestErrorDecision]
) -> None:
    root = create_root()
    app = LoopApp(root, FakeClock())
    await app.start()
    waiting = list(decisions)

    async def work(call: ToolCall) -> ToolOutput:
        call.agent.inject("from the tool", source=TEST)
        return ToolOutput("done")

    async def decide(
        _agent: Agent, _failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        return waiting.pop() if waiting else None

    app.add_tool("work", work)
    root.on(AGENT_REQUEST_ERROR, decide)
    agent = app.create().agent
    for number, (action, replies) in enumerate(actions):
        app.provider.will_say(*(_scripted(kind, agent) for kind in replies))
        match action:
            case "inject":
                agent.inject(f"note {number}", source=TEST)
            case "select":
                agent.select_model("other", f"m{number}")
            case "prompt":
                root[SYSTEM_PROMPT].section(root, Section(f"s{number}", number, f"Rule {number}."))
            case "steer":
                agent.steer(f"steer {number}")
            case "cancel":
                agent.send("never")
                agent.cancel()
            case _:
                agent.send(f"prompt {number}", source=USER_SOURCE)
        await agent.when_idle()
    assert_rebuilds(app, agent.session)
    assert types(agent.session).count("turn/start") == len(endings(agent.session))
    assert rebuild_requests(
        Session(agent.session.header, seed=agent.session.events).events
    ) == rebuild_requests(agent.session.events)
    await root.fiber.dispose()
