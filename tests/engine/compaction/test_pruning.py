"""Long results of old calls are shortened before a summary is thought of, in a whole engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.agent.registry import CreateAgent
from dsh_tui.engine.compaction.shorten import HEAD, TAIL
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.projection.requests import RequestBook
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import ToolView
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.spill import plugin as spill_plugin
from tests.fakes.fake_clock import FakeClock
from tests.fakes.long_results import (
    WHOLE,
    assert_sound,
    course,
    dumps,
    first,
    results,
    says,
    with_compaction,
)
from tests.fakes.loop_app import OPTIONS, LoopApp, ask, last
from tests.fakes.scripted_provider import Gate, broken, text


@pytest.fixture
async def app(root: Context) -> LoopApp:
    app = LoopApp(root, FakeClock())
    await app.start()
    return app


async def test_shortening_that_is_enough_asks_for_no_summary(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(dumps("c1"), says("Seen."), says("Well.", 8_200), says("Third."))
    await ask(agent, "first", "second", "third")
    session = agent.session
    assert course(session)[-7:] == [
        "turn/start 3 message", "compact/start", "compact/prune", "compact/end", "step/start 1",
        "step/end 1", "turn/end 3 completed",
    ]  # fmt: skip
    (shown,) = results(session)
    assert shown.startswith(WHOLE[:HEAD])
    assert shown.endswith(WHOLE[-TAIL:])
    assert len(shown) < len(WHOLE)
    pruned = last(session, "compact/prune")
    assert pruned["results"] == 1
    assert pruned["tokensBefore"] > 1.8 * pruned["tokensAfter"]
    assert last(session, "compact/end")["outcome"] == "done"
    assert_sound(app, session)


async def test_shortening_that_is_not_enough_is_followed_by_a_summary_of_what_is_left(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(
        dumps("c1"), says("Seen."), says("Well.", 9_900), text("We looked."), says("Third.")
    )
    await ask(agent, "first", "second", "third")
    asked = [line for line in course(agent.session) if line.startswith(("compact/", "request/"))]
    assert asked == ["compact/start", "compact/prune", "request/one-shot", "compact/summary", "compact/end"]
    assert results(agent.session) == []
    summary = app.provider.requests[-2]
    assert WHOLE not in str(summary.messages)
    assert "are left out here to save room" in str(summary.messages)
    assert_sound(app, agent.session)


async def test_shortening_that_leaves_little_room_is_followed_by_a_summary_at_once(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(
        dumps("c1"), says("Seen."), says("Well.", 9_300), text("We looked."), says("Third.")
    )
    await ask(agent, "first", "second", "third")
    pruned = last(agent.session, "compact/prune")
    left = 9_300 - pruned["tokensBefore"] + pruned["tokensAfter"]
    assert 7_200 < left < 8_000
    assert "compact/summary" in course(agent.session)
    assert_sound(app, agent.session)


async def test_the_whole_result_stays_in_the_log_in_the_transcript_and_in_a_file(
    app: LoopApp, tmp_path: Path
) -> None:
    await app.root.plugin(spill_plugin.store, spill_plugin.StoreConfig(root=tmp_path / "spill"))
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(dumps("c1"), says("Seen."), says("Well.", 8_200), says("Third."))
    await ask(agent, "first", "second", "third")
    session = agent.session
    assert first(session, "tool/result").data["content"][0]["text"] == WHOLE
    (shown,) = results(session)
    path = shown.partition("The whole of it: ")[2].partition("]")[0]
    assert Path(path).read_text() == WHOLE
    fold = SessionFold(session.header)
    fold.apply_all(session.events)
    (call,) = (view for view in fold.view().blocks if isinstance(view, ToolView))
    assert call.output.strip() == WHOLE.strip()


async def test_the_turn_that_runs_keeps_its_results_whole(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(
        dumps("c1"), says("Seen."), dumps("c2"), dumps("c3"), text("We looked."), says("Done.")
    )
    await ask(agent, "first", "second")
    assert last(agent.session, "compact/prune")["results"] == 1
    assert results(agent.session)[-1] == WHOLE
    assert_sound(app, agent.session)


async def test_by_hand_nothing_is_shortened_while_there_is_room_and_a_full_window_is_said_before(
    app: LoopApp,
) -> None:
    compaction = await with_compaction(app, window=100_000, auto=False)
    agent = app.create("s1").agent
    app.provider.will_say(dumps("c1"), says("Seen."), says("Well."), says("Third."))
    await ask(agent, "first", "second", "third")
    plan, pruning = compaction.plan(agent)
    assert pruning is None  # a summary of the whole is better, and the history is in the cache
    app.provider.window = 4_000
    plan, pruning = compaction.plan(agent)
    assert pruning is not None
    assert len(pruning.places) == 1
    assert pruning.before > pruning.after > 0
    assert pruning.behind < plan.tokens
    app.provider.will_say(text("We looked."))
    compaction.compact(agent, "the numbers")
    await agent.when_idle()
    told = last(agent.session, "compact/prune")
    assert (told["results"], told["tokensBefore"], told["tokensAfter"]) == (1, pruning.before, pruning.after)
    summary = last(agent.session, "compact/summary")  # though there is room now: a person asked for it
    assert summary["messages"] == len(plan.messages)
    assert summary["tokensBefore"] == pytest.approx(plan.tokens - pruning.saved, abs=5)
    assert_sound(app, agent.session)


async def test_a_summary_that_fails_leaves_what_was_shortened(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(
        dumps("c1"), says("Seen."), says("Well.", 9_900), [broken("AUTH", "bad key")], says("Third.")
    )
    await ask(agent, "first", "second", "third")
    end = last(agent.session, "compact/end")
    assert (end["outcome"], end["error"]) == ("failed", "bad key")
    assert len(results(agent.session)[0]) < len(WHOLE)
    assert_sound(app, agent.session)


async def test_the_audit_names_the_pruning_as_the_cause_of_the_broken_prefix(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(dumps("c1"), says("Seen."), says("Well.", 8_200), says("Third."), says("Fourth."))
    await ask(agent, "first", "second", "third", "fourth")
    session = agent.session
    book = RequestBook(session.events, request_body)
    broken_at = [found.broken for row in book.rows if (found := book.view(row.index)).broken]
    pruned = first(session, "compact/prune")
    assert [(one.words, one.event, one.seq) for one in broken_at if one] == [
        ("long tool results were shortened", "compact/prune", pruned.seq)
    ]


async def test_a_crash_at_any_event_leaves_a_log_that_goes_on(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    app.provider.will_say(
        dumps("c1"), dumps("c2"), says("Seen."), says("Well.", 12_000), text("We looked."), says("Third.")
    )
    await ask(agent, "first", "second", "third")
    events = list(agent.session.events)
    start, end = first(agent.session, "compact/start").seq, first(agent.session, "compact/end").seq
    assert last(agent.session, "compact/prune")["results"] == 2
    for cut in range(start, end + 1):
        torn = events[: cut + 1]
        seed = [*torn, *closers(torn)]
        assert check_log(seed) is None, cut
        resumed = app.agents.create(CreateAgent(session_id=f"s-{cut}", options=OPTIONS, seed=seed)).agent
        await ask(resumed, "go on")
        assert resumed.session.events[-1].data["reason"]["kind"] == "completed"
        assert check_log(list(resumed.session.events)) is None, cut


async def test_a_cancel_while_the_summary_is_asked_for_leaves_what_was_shortened(app: LoopApp) -> None:
    await with_compaction(app, window=10_000)
    agent = app.create("s1").agent
    gate = Gate()
    app.provider.will_say(dumps("c1"), says("Seen."), says("Well.", 9_900), [gate])
    await ask(agent, "first", "second")
    agent.send("third")
    await gate.reached()
    agent.cancel("stop")
    await agent.when_idle()
    assert last(agent.session, "compact/end")["outcome"] == "cancelled"
    assert len(results(agent.session)[0]) < len(WHOLE)
    assert check_log(list(agent.session.events)) is None
