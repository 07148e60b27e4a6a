"""A recorded log answers a real loop; every way of leaving it is told at the first difference."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.llm.deepseek.wire import body_bytes
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.replay import plugin as replay
from dsh_tui.engine.replay.entries import read_entries
from dsh_tui.engine.replay.errors import DriftError, FixtureError
from dsh_tui.engine.replay.overrides import apply_overrides, read_sidecar
from dsh_tui.engine.replay.replay import REPLAY
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, ask, endings, last, outline
from tests.fakes.scripted_provider import Gate, ScriptedReply, broken, calls, delta, text

Play = Callable[[LoopApp, Agent], Any]  # Any: a coroutine
THROW = {"throw": {"code": "AUTH", "message": "the key was refused"}}


async def run(
    play: Play,
    *,
    replies: Sequence[ScriptedReply] = (),
    config: replay.ReplayConfig | None = None,
    said: str = "1",
) -> tuple[tuple[Event, ...], DriftError | None, int]:
    """One run of a loop: its log, the drift of its replay, and how often a provider was asked."""
    root = create_root()
    app = LoopApp(root, FakeClock())
    await app.start()
    app.provider.will_say(*replies)

    async def work(_call: ToolCall) -> ToolOutput:
        return ToolOutput(f"result {said}")

    app.add_tool("work", work)
    if config is not None:
        await root.plugin(replay, config)
    agent = app.create().agent
    await play(app, agent)
    drift = None
    if config is not None:
        try:
            root[REPLAY].check_complete()
        except DriftError as error:
            drift = error
    log = tuple(agent.session.events)
    await root.fiber.dispose()
    return log, drift, len(app.provider.requests)


async def two_prompts(_app: LoopApp, agent: Agent) -> None:
    await ask(agent, "Go", "Again")


REPLIES = (calls(("c1", "work"), words="On it."), text("Done."), text("Bye."))


async def recorded(play: Play = two_prompts, replies: Sequence[ScriptedReply] = REPLIES) -> tuple[Event, ...]:
    return (await run(play, replies=replies))[0]


async def test_the_same_run_gives_the_same_log_and_no_provider_is_asked() -> None:
    events = await recorded()
    again, drift, asked = await run(two_prompts, config=replay.ReplayConfig(events=events))
    assert (outline(again), drift, asked) == (outline(events), None, 0)


async def test_a_run_that_asks_for_less_is_told_what_never_came() -> None:
    events = await recorded()

    async def one_prompt(_app: LoopApp, agent: Agent) -> None:
        await ask(agent, "Go")

    _, drift, _ = await run(one_prompt, config=replay.ReplayConfig(events=events))
    assert drift is not None
    assert drift.message == "3 requests were recorded, 2 made: turn 2 step 1 never came"


async def test_a_run_that_asks_for_more_ends_its_turn_with_one_clear_error() -> None:
    events = await recorded()

    async def three_prompts(_app: LoopApp, agent: Agent) -> None:
        await ask(agent, "Go", "Again", "More", "And more")

    again, drift, asked = await run(three_prompts, config=replay.ReplayConfig(events=events))
    reason = [event.data["reason"] for event in again if event.type == "turn/end"][-1]
    assert reason["code"] == "REPLAY_DRIFT"
    assert reason["message"] == "3 requests were recorded, and the run asks for one more"
    assert (drift is not None, asked) == (True, 0)


@pytest.mark.parametrize(
    ("prompts", "said", "difference"),
    [
        (("Go", "Other"), "1", "turn 2 step 1 is not the recorded one: messages[4].content[0].text at 0"),
        (("Go", "Again"), "2", "turn 1 step 2 is not the recorded one: messages[2].content[0].content[0]"),
    ],
)  # fmt: skip
async def test_another_request_is_named_by_its_first_difference(
    prompts: tuple[str, ...], said: str, difference: str
) -> None:
    events = await recorded()

    async def play(_app: LoopApp, agent: Agent) -> None:
        await ask(agent, *prompts)

    _, drift, _ = await run(play, config=replay.ReplayConfig(events=events), said=said)
    assert drift is not None
    assert difference in drift.message


async def test_a_drift_names_the_first_byte_of_the_body_that_differs() -> None:
    events = await recorded()

    async def play(_app: LoopApp, agent: Agent) -> None:
        await ask(agent, "Go", "Agaim")

    _, drift, _ = await run(play, config=replay.ReplayConfig(events=events))
    assert drift is not None
    sent = body_bytes(rebuild_requests(events)[-1].as_request("s1"))
    at = sent.rindex(b"Again") + 4
    assert f"text at 4: recorded 'Again', now 'Agaim'; byte {at:,} of the body: recorded …" in drift.message
    before, after = sent[at - 20 : at].decode(), sent[at + 1 : at + 20].decode()
    assert f"{before + 'n' + after!r}…, now …{before + 'm' + after!r}" in drift.message


async def test_text_of_the_run_can_be_made_comparable() -> None:
    events = await recorded()
    config = replay.ReplayConfig(events=events, rewrite=lambda text: text.replace("result 2", "result 1"))
    _, drift, _ = await run(two_prompts, config=config, said="2")
    assert drift is None


async def test_attempts_of_one_step_are_answered_one_by_one() -> None:
    events = await recorded(replies=([delta("Half"), broken("INVALID_REQUEST")], text("Bye.")))
    again, drift, _ = await run(two_prompts, config=replay.ReplayConfig(events=events))
    assert (outline(again), drift) == (outline(events), None)


async def test_an_answer_that_was_stopped_hangs_until_it_is_stopped_again() -> None:
    gate = Gate()

    async def stop(app: LoopApp, agent: Agent) -> None:
        agent.send("Go")
        async with asyncio.timeout(5):
            while not any(event.type == "assistant/chunk" for event in agent.session.events):
                await asyncio.sleep(0)
        agent.cancel("stopped")
        await agent.when_idle()

    events = await recorded(stop, ([delta("Half"), gate, *text("Never")],))
    again, drift, _ = await run(stop, config=replay.ReplayConfig(events=events))
    assert (outline(again), drift) == (outline(events), None)


async def test_a_patch_fails_a_request_that_went_well_when_it_was_recorded() -> None:
    events = await recorded()
    config = replay.ReplayConfig(events=events, overrides={"patches": [{"at": 1, "entry": THROW}]})
    again, _, _ = await run(two_prompts, config=config)
    reasons = [event.data["reason"] for event in again if event.type == "turn/end"]
    assert (reasons[0]["code"], reasons[0]["message"]) == ("AUTH", "the key was refused")


async def test_a_whole_list_can_stand_in_for_the_recording(tmp_path: Path) -> None:
    marker = tmp_path / "reached"
    entries = [
        {"chunks": text("Scripted.")},
        {"chunks": [delta("Half")], "hang": True, "marker": str(marker)},
    ]

    async def play(app: LoopApp, agent: Agent) -> None:
        await ask(agent, "Anything")
        agent.send("Hang")
        async with asyncio.timeout(5):
            while not marker.exists():
                await asyncio.sleep(0)
        agent.cancel("enough")
        await agent.when_idle()
        assert endings(agent.session) == ["completed", "aborted"]
        assert last(agent.session, "assistant/message")["interrupted"]

    _, drift, _ = await run(play, config=replay.ReplayConfig(events=(), overrides=entries))
    assert drift is None


async def test_an_entry_may_take_text_from_the_request() -> None:
    entries = [
        {"chunks": text("You said {{fromRequest:number (\\d+)}}.")},
        {"chunks": text("{{fromRequest:nowhere}}")},
    ]

    async def play(app: LoopApp, agent: Agent) -> None:
        await ask(agent, "number 1, number 27")
        assert last(agent.session, "assistant/message")["content"][0]["text"] == "You said 27."
        await ask(agent, "Go")
        assert last(agent.session, "turn/end")["reason"]["code"] == "REPLAY_DRIFT"

    await run(play, config=replay.ReplayConfig(events=(), overrides=entries))


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ("nonsense", "overrides are a list of entries"),
        ({"patches": [{"at": 9, "entry": THROW}]}, "entries 0 to 2"),
        ({"patches": [{"at": 0, "entry": {"trow": 1}}]}, "patch at 0: an entry is an object with"),
        ([{"chunks": [1]}], "entry 0: a chunk is an object"),
        ([{"throw": {"code": "AUTH"}}], "throw needs a code and a message"),
        ([{"chunks": []}], "exactly one ending"),
        ([{**THROW, "hang": True}], "exactly one ending"),
    ],
)
async def test_overrides_of_another_shape_are_refused(overrides: Any, said: str) -> None:
    entries = read_entries(await recorded())
    with pytest.raises(FixtureError, match=said):
        apply_overrides(entries, overrides)


def test_the_sidecar_stands_beside_the_log(tmp_path: Path) -> None:
    log, sidecar = tmp_path / "session.jsonl", tmp_path / "session.overrides.json"
    assert read_sidecar(log) == {"patches": []}
    sidecar.write_text('[{"hang": true}]')
    assert read_sidecar(log) == [{"hang": True}]
    sidecar.write_text("[")
    with pytest.raises(FixtureError, match=r"session\.overrides\.json"):
        read_sidecar(log)


async def test_a_recording_without_an_end_is_refused() -> None:
    events = [event for event in await recorded() if event.data.get("chunk", {}).get("type") != "finish"]
    with pytest.raises(FixtureError, match="breaks off in turn 1 step 1"):
        read_entries(events)
