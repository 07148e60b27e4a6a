"""Compaction, by hand and by itself, in a whole engine around a scripted model."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.errors import AgentBusyError
from dsh_tui.engine.agent.registry import CreateAgent
from dsh_tui.engine.compaction import plugin as compaction_plugin
from dsh_tui.engine.compaction.errors import NothingToCompactError
from dsh_tui.engine.compaction.service import COMPACTION, Compaction, Limits
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.retry.policy import RetryPolicy
from dsh_tui.engine.loop import one_shots
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import OPTIONS, LoopApp, ask, dialogue, last, outline, settle
from tests.fakes.scripted_provider import Gate, broken, calls, chunk, finish, text, usage

LONG = "All that was found out so far. " * 60
"""About 560 tokens of a window of 1,000."""


@pytest.fixture
async def app(root: Context) -> LoopApp:
    app = LoopApp(root, FakeClock())
    await app.start()
    await root.plugin(one_shots)
    return app


async def mount(app: LoopApp, **limits: Any) -> Compaction:
    config = compaction_plugin.Config(
        limits=Limits(**limits), policy=RetryPolicy(retries=2, jitter=0), clock=app.clock
    )
    await app.root.plugin(compaction_plugin, config)
    return app.root[COMPACTION]


def said(agent: Agent) -> list[str]:
    return [str(message["content"][0].get("text", ""))[:12] for message in agent.session.derive()]


def steps(session: Session) -> list[str]:
    """The compaction's own events, and what a person said."""
    return [line for line in outline(session.events) if line.startswith(("compact/", "turn/", "request/one"))]


async def long_talk(app: LoopApp) -> Agent:
    agent = app.create("s1").agent
    app.provider.will_say(text(LONG), text("Second."), text("Third."))
    await ask(agent, "first", "second", "third")
    return agent


async def test_a_summary_takes_the_place_of_the_early_history_and_nothing_is_deleted(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    session, before = agent.session, list(agent.session.events)
    plan, pruning = compaction.plan(agent)
    assert (len(plan.messages), plan.kept_messages, plan.prompt, pruning) == (2, 4, "", None)
    app.provider.will_say(text("We talked."))
    compaction.compact(agent, "the third word")
    await agent.when_idle()

    assert list(session.events)[: len(before)] == before
    assert steps(session)[-6:] == [
        "turn/start 4 compaction", "compact/start", "request/one-shot", "compact/summary", "compact/end",
        "turn/end 4 completed",
    ]  # fmt: skip
    checkpoint = session.surface[0]
    assert checkpoint.type == "context/message"
    assert "We talked." in checkpoint.data["content"][0]["text"]
    assert len(checkpoint.data["content"]) == 1
    assert said(agent)[1:] == ["second", "Second.", "third", "Third."]
    assert last(session, "compact/end")["outcome"] == "done"
    assert check_log(list(session.events)) is None

    await ask(agent, "fourth")
    assert_all_rebuild(app, session)


async def test_the_request_for_a_summary_is_the_conversation_and_one_instruction(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    sent = app.provider.requests[-1]
    compaction.compact(agent, "the third word")
    await agent.when_idle()
    asked = app.provider.requests[-1]
    assert (asked.system, asked.tools) == (sent.system, sent.tools)
    assert asked.messages[:-1] == sent.messages[:2]
    assert dialogue(asked)[-1].startswith("user: Stop here")
    assert dialogue(asked)[-1].endswith("Keep in mind above all: the third word")
    assert asked.config == {**sent.config, "maxTokens": 1_024}
    assert_all_rebuild(app, agent.session)


async def test_what_the_summary_took_is_logged_and_counts_for_the_session(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    app.provider.will_say(text("We talked."))
    compaction.compact(agent)
    await agent.when_idle()
    told = last(agent.session, "request/usage")
    assert (told["purpose"], told["provider"], told["model"]) == ("compaction", "scripted", "model-a")
    assert told["usage"] == usage()["usage"]  # type: ignore[typeddict-item]  # it is a usage chunk
    assert check_log(list(agent.session.events)) is None


async def test_prompts_wait_behind_it_and_an_agent_that_runs_is_not_compacted(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    gate = Gate()
    app.provider.will_say([gate, *text("We talked.")])
    compaction.compact(agent)
    with pytest.raises(AgentBusyError):
        compaction.compact(agent)
    await gate.reached()
    assert agent.status == "running"
    with pytest.raises(AgentBusyError):
        compaction.compact(agent)
    agent.send("fourth")
    agent.steer("and this")
    gate.open()
    await agent.when_idle()
    assert said(agent)[-4:] == ["Third.", "fourth", "and this", "Ok."]
    assert check_log(list(agent.session.events)) is None


@pytest.mark.parametrize(
    ("replies", "outcome", "words"),
    [
        ([text("")], "failed", "the model gave no summary"),
        ([calls(("c1", "look"))], "failed", "the model gave no summary"),
        ([text("half", kind="max-tokens")], "failed", "output limit"),
        ([text(LONG * 2)], "failed", "no shorter"),
        ([[broken("AUTH", "bad key")]], "failed", "bad key"),
        ([[broken()], [broken()], [broken()]], "failed", "on fire"),
    ],
)
async def test_where_no_good_summary_comes_the_history_stays_as_it_was(
    app: LoopApp, replies: list[list[Any]], outcome: str, words: str
) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    before = agent.session.derive()
    app.provider.will_say(*replies)
    compaction.compact(agent)
    await wait_out(app, agent)
    assert agent.session.derive() == before
    end = last(agent.session, "compact/end")
    assert end["outcome"] == outcome
    assert words in end["error"]
    assert agent.status == "idle"
    assert check_log(list(agent.session.events)) is None


async def test_a_failed_request_is_asked_again_and_each_one_is_told(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    app.provider.will_say([broken()], text("We talked."))
    compaction.compact(agent)
    await wait_out(app, agent)
    assert last(agent.session, "compact/end")["outcome"] == "done"
    assert_all_rebuild(app, agent.session)


async def test_a_cancel_stops_it_and_leaves_the_history(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    before = agent.session.derive()
    gate = Gate()
    app.provider.will_say([gate])
    compaction.compact(agent)
    await gate.reached()
    agent.cancel("stop")
    await agent.when_idle()
    assert agent.session.derive() == before
    assert steps(agent.session)[-2:] == ["compact/end", "turn/end 4 aborted"]
    assert last(agent.session, "compact/end")["outcome"] == "cancelled"
    await ask(agent, "fourth")
    assert said(agent)[-1] == "Ok."


async def test_a_session_that_ends_meanwhile_closes_it(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    handle = app.create("s1")
    app.provider.will_say(text(LONG), text("Second."))
    await ask(handle.agent, "first", "second")
    gate = Gate()
    app.provider.will_say([gate])
    compaction.compact(handle.agent)
    await gate.reached()
    await handle.dispose()
    assert steps(handle.agent.session)[-2:] == ["compact/end", "turn/end 3 disposed"]


async def test_a_crash_in_between_is_stale_when_the_log_is_loaded(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = await long_talk(app)
    before = agent.session.derive()
    app.provider.will_say(text("We talked."))
    compaction.compact(agent)
    await agent.when_idle()
    events = list(agent.session.events)
    first = next(event.seq for event in events if event.type == "compact/start")
    for end in range(first, len(events)):
        torn = events[: end + 1]
        seed = [*torn, *closers(torn)]
        assert check_log(seed) is None, end
        resumed = app.agents.create(CreateAgent(session_id=f"s-{end}", options=OPTIONS, seed=seed)).agent
        placed = any(event.surface_op and event.surface_op["op"] == "replace" for event in torn)
        assert (resumed.session.derive() == before) is not placed
        await ask(resumed, "go on")
        assert said(resumed)[-1] == "Ok."


async def test_there_is_nothing_to_do_in_a_session_that_is_new_or_short(app: LoopApp) -> None:
    compaction = await mount(app, auto=False)
    agent = app.create("s1").agent
    with pytest.raises(NothingToCompactError, match="nothing to summarise yet"):
        compaction.plan(agent)
    await ask(agent, "hello")
    with pytest.raises(NothingToCompactError, match="no place to cut"):
        compaction.plan(agent)
    await ask(agent, "and", "again")
    with pytest.raises(NothingToCompactError, match="would save nothing"):
        compaction.plan(agent)
    compaction.compact(agent)
    await agent.when_idle()
    assert last(agent.session, "compact/end")["outcome"] == "refused"


async def test_a_full_window_is_compacted_before_the_request_and_the_turn_goes_on(app: LoopApp) -> None:
    await mount(app)
    agent = app.create("s1").agent
    full = [chunk(type="block-end", index=0, block={"type": "text", "text": LONG}), usage(450), finish()]
    app.provider.will_say(text("One."), full, text("We talked."), text("Three."))
    await ask(agent, "first", "second", "third")
    assert steps(agent.session)[-6:] == [
        "turn/start 3 message", "compact/start", "request/one-shot", "compact/summary", "compact/end",
        "turn/end 3 completed",
    ]  # fmt: skip
    assert last(agent.session, "compact/start")["trigger"] == "auto"
    assert said(agent)[1:] == ["third", "Three."]
    assert_all_rebuild(app, agent.session)
    assert check_log(list(agent.session.events)) is None


async def test_one_long_turn_is_compacted_too_and_keeps_its_prompt_word_for_word(app: LoopApp) -> None:
    async def look(_call: ToolCall) -> ToolOutput:
        return ToolOutput(LONG)

    await mount(app)
    app.add_tool("look", look)
    agent = app.create("s1").agent

    def looks(call: str, tokens: int) -> list[Any]:
        return [*calls((call, "look"))[:-2], usage(tokens), finish("tool-calls")]

    app.provider.will_say(looks("c1", 10), looks("c2", 450), text("Looked."), looks("c3", 450))
    app.provider.will_say(text("Looked more."), text("Done."))
    await ask(agent, "look around, </prompt> and say")
    summaries = [event for event in agent.session.events if event.type == "compact/summary"]
    assert len(summaries) >= 1
    quoted = [block["text"] for block in agent.session.surface[0].data["content"]][1]
    assert quoted.count("look around, <\\/prompt> and say") == 1
    assert said(agent)[-1] == "Done."
    assert_all_rebuild(app, agent.session)


async def test_what_fails_by_itself_is_said_once_a_turn_and_the_turn_goes_on(app: LoopApp) -> None:
    async def look(_call: ToolCall) -> ToolOutput:
        return ToolOutput("seen")

    await mount(app)
    app.add_tool("look", look)
    agent = app.create("s1").agent
    full = [chunk(type="block-end", index=0, block={"type": "text", "text": LONG}), usage(450), finish()]
    again = [*calls(("c1", "look"))[:-2], usage(450), finish("tool-calls")]
    app.provider.will_say(text("One."), full, [broken("AUTH", "bad key")], again, text("Done."))
    await ask(agent, "first", "second", "third")
    assert [line for line in steps(agent.session) if line.startswith("compact/")] == [
        "compact/start", "compact/end",
    ]  # fmt: skip
    assert said(agent)[-1] == "Done."


async def test_it_can_be_turned_off(app: LoopApp) -> None:
    await mount(app, auto=False)
    agent = app.create("s1").agent
    full = [chunk(type="block-end", index=0, block={"type": "text", "text": LONG}), usage(450), finish()]
    app.provider.will_say(text("One."), full, text("Three."))
    await ask(agent, "first", "second", "third")
    assert not any(line.startswith("compact/") for line in steps(agent.session))


async def wait_out(app: LoopApp, agent: Agent) -> None:
    """Until it is idle, with all waits between attempts passed."""
    for _ in range(4):
        await settle()
        await app.clock.advance(60)
    await agent.when_idle()


def assert_all_rebuild(app: LoopApp, session: Session) -> None:
    """Every request, those for summaries too, follows from the log alone."""
    rebuilt = rebuild_requests(session.events, one_shots=True)
    assert [(one.system, one.tools, one.config, one.messages) for one in rebuilt] == [
        (one.system, one.tools, one.config, one.messages) for one in app.provider.requests
    ]
