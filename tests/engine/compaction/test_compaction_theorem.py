"""Whatever happens around compactions, every request is valid and follows from the log."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.compaction import plugin as compaction_plugin
from dsh_tui.engine.compaction.service import COMPACTION, Limits
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.llm.retry.policy import RetryPolicy
from dsh_tui.engine.loop import one_shots
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, assert_accepted
from tests.fakes.scripted_provider import ScriptedReply, broken, calls, chunk, delta, finish, text, usage

LONG = "All that was found out so far. " * 60
_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["send", "tell", "tell", "compact", "compact", "inject"]),
        st.lists(st.sampled_from(["long", "full", "calls", "short", "fail", "cancel"]), max_size=4),
    ),
    min_size=2,
    max_size=8,
)


def _reply(kind: str, agent: Agent) -> ScriptedReply:
    cancel: Callable[[], object] = agent.cancel
    replies: dict[str, ScriptedReply] = {
        "long": text(LONG),
        "full": [
            chunk(type="block-end", index=0, block={"type": "text", "text": LONG}),
            usage(450),
            finish(),
        ],
        "calls": [*calls(("c1", "look"), ("c2", "look"))[:-2], usage(450), finish("tool-calls")],
        "short": text("In short: well."),
        "fail": [broken("AUTH")],
        "cancel": [delta("Stop "), cancel, delta("here"), finish()],
    }
    return replies[kind]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(actions=_ACTIONS)
async def test_every_request_follows_from_the_log_and_no_call_is_parted_from_its_result(
    actions: list[tuple[str, list[str]]],
) -> None:
    async def look(_call: ToolCall) -> ToolOutput:
        return ToolOutput(LONG)

    root = create_root()
    app = LoopApp(root, FakeClock())
    await app.start()
    await root.plugin(one_shots)
    await root.plugin(
        compaction_plugin, compaction_plugin.Config(limits=Limits(), policy=RetryPolicy(retries=0))
    )
    app.add_tool("look", look)
    agent = app.create("s1").agent
    for number, (action, replies) in enumerate(actions):
        app.provider.replies.clear()
        app.provider.will_say(*(_reply(kind, agent) for kind in replies))
        if action in ("send", "tell"):
            agent.send(f"prompt {number} {LONG if action == 'tell' else ''}")
        elif action == "compact":
            root[COMPACTION].compact(agent)
        else:
            agent.inject(f"note {number}", source={"kind": "plugin", "plugin": "test"})
        await agent.when_idle()
    events = list(agent.session.events)
    rebuilt = rebuild_requests(events, one_shots=True)
    sent = app.provider.requests
    assert [(one.system, one.tools, one.config, one.messages) for one in rebuilt] == [
        (one.system, one.tools, one.config, one.messages) for one in sent
    ]
    for request in sent:
        if isinstance(request, ModelRequest) or request.purpose == "compaction":
            assert_accepted(request)
    assert check_log(events) is None
    await root.fiber.dispose()
