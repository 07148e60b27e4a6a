"""Whatever happens around compactions, every request is valid and follows from the log."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.compaction.service import COMPACTION
from dsh_tui.engine.compaction.shorten import HEAD, TAIL
from dsh_tui.engine.compaction.shorten import LONG as LONGEST
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.long_results import TOO_LONG, with_compaction
from tests.fakes.loop_app import LoopApp, assert_accepted
from tests.fakes.scripted_provider import ScriptedReply, broken, calls, chunk, delta, finish, text, usage

LONG = "All that was found out so far. " * 60
_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["send", "tell", "tell", "compact", "compact", "inject"]),
        st.lists(
            st.sampled_from(["long", "full", "calls", "dump", "short", "fail", "too long", "cancel"]),
            max_size=4,
        ),
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
        "dump": [*calls(("c1", "dump"), ("c2", "look"))[:-2], finish("tool-calls")],
        "short": text("In short: well."),
        "fail": [broken("AUTH")],
        "too long": TOO_LONG,
        "cancel": [delta("Stop "), cancel, delta("here"), finish()],
    }
    return replies[kind]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(actions=_ACTIONS, window=st.sampled_from([1_000, 6_000, 1_000_000]))
@example(actions=[*[("send", ["dump", "short"])] * 2, ("send", ["too long", "short"])], window=1_000_000)
@example(actions=[*[("send", ["dump", "short"])] * 4, ("compact", ["short"])], window=6_000)
async def test_every_request_follows_from_the_log_and_no_call_is_parted_from_its_result(
    actions: list[tuple[str, list[str]]], window: int
) -> None:
    async def look(_call: ToolCall) -> ToolOutput:
        return ToolOutput(LONG)

    root = create_root()
    app = LoopApp(root, FakeClock())
    await app.start()
    await with_compaction(app, window=window)
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
    _assert_only_told_results_are_shortened(events)
    await root.fiber.dispose()


def _assert_only_told_results_are_shortened(events: list[Event]) -> None:
    replaced = [
        event for event in events if event.type == "tool/result" and len(event.source_event_seqs or ()) > 1
    ]
    told = [event.data["results"] for event in events if event.type == "compact/prune"]
    assert len(replaced) == sum(told)
    for event in replaced:
        told_by, whole = (events[seq] for seq in event.source_event_seqs or ())
        assert told_by.type == "compact/prune"
        assert {**whole.data, "content": None} == {**event.data, "content": None}
        shown, said = text_of(event.data["content"]), text_of(whole.data["content"])
        assert (shown[:HEAD], shown[-TAIL:]) == (said[:HEAD], said[-TAIL:])
        assert len(shown) <= LONGEST < len(said)
