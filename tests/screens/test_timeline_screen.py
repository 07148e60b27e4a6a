from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.engine.projection.timeline import Point
from dsh_tui.screens.request import RequestScreen
from dsh_tui.screens.timeline import TimelineScreen
from dsh_tui.widgets.moment_list import MomentList
from dsh_tui.widgets.scrub_bar import scrub_line
from dsh_tui.widgets.todo_panel import TodoPanel
from dsh_tui.widgets.transcript import Transcript
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, started
from tests.fakes.history_chat import with_history
from tests.fakes.history_log import history, seqs

Check = Callable[[Pilot[None], TimelineScreen, FakeBridge], Awaitable[None]]


async def opened(check: Check, bridge: FakeBridge | None = None, size: tuple[int, int] = (120, 40)) -> None:
    bridge = bridge or with_history()
    app = app_over(bridge)
    async with started(app, size) as pilot:
        await pilot.press("ctrl+x", "g")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, TimelineScreen)
        await check(pilot, screen, bridge)


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    screen = pilot.app.screen
    if isinstance(screen, TimelineScreen):
        screen._look()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


def point(screen: TimelineScreen) -> Point:
    assert screen.point is not None
    return screen.point


def words(screen: TimelineScreen, where: str) -> str:
    return str(screen.query_one(where, Static).content)


async def test_it_opens_at_the_end_and_steps_back_through_events() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, _bridge: FakeBridge) -> None:
        last = len(history()) - 1
        assert point(screen).seq == last
        assert f"turn 6 of 6 · event {last} of {last}" in words(screen, "#counts")
        await press(pilot, "up", "up")
        assert point(screen).seq == last - 2

    await opened(check)


async def test_left_and_right_step_through_turns() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, _bridge: FakeBridge) -> None:
        starts = seqs(history(), "turn/start")
        await press(pilot, "left")
        assert point(screen).seq == starts[5]
        await press(pilot, "left", "left")
        assert point(screen).seq == starts[3]
        await press(pilot, "right")
        assert point(screen).seq == starts[4]
        await press(pilot, "home")
        assert point(screen).seq == 0

    await opened(check)


async def test_plan_mode_and_context_are_those_of_the_point() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, _bridge: FakeBridge) -> None:
        todos = screen.query_one(TodoPanel)
        assert [todo.status for todo in todos.todos] == ["completed"] * 3
        await press(pilot, "home")
        assert not todos.todos
        first = seqs(history(), "todo/write")[0]
        while point(screen).seq < first:
            await press(pilot, "down")
        assert [todo.status for todo in todos.todos] == ["in_progress", "pending", "pending"]
        assert "ask" in words(screen, "#facts")
        assert "context" in words(screen, "#facts")
        assert all(block.seq <= first for block in point(screen).view.blocks)

    await opened(check)


async def test_f_forks_at_the_end_of_a_turn_and_says_how_far_back_that_is() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, bridge: FakeBridge) -> None:
        end = seqs(history(), "turn/end")[2]
        await press(pilot, "left", "left", "left", "down", "down")
        assert "f forks at the end of turn 3, 3 events back" in words(screen, "#fork")
        await press(pilot, "f")
        assert bridge.asked == [("fork_session", "s1", end)]
        assert pilot.app.screen is not screen

    await opened(check)


async def test_before_a_turn_has_ended_there_is_nothing_to_fork() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, bridge: FakeBridge) -> None:
        await press(pilot, "home", "f")
        assert bridge.asked == []
        assert "nothing to fork" in words(screen, "#fork")
        assert "nothing to fork" in words(screen, "#place")

    await opened(check)


async def test_a_fork_that_fails_is_told_and_the_timeline_stays() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, bridge: FakeBridge) -> None:
        bridge.fails["fork_session"] = OSError("the disk is full")
        await press(pilot, "f")
        assert "the disk is full" in words(screen, "#place")
        assert pilot.app.screen is screen

    await opened(check)


async def test_r_shows_what_the_model_saw_at_that_point() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, _bridge: FakeBridge) -> None:
        await press(pilot, "left", "left", "left", "left", "right", "up", "r")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        request = pilot.app.screen
        assert isinstance(request, RequestScreen)
        assert "Turn 3 step 1" in str(request.query_one("#head", Static).content)
        await pilot.press("escape")
        assert pilot.app.screen is screen

    await opened(check)


async def test_the_transcript_can_be_read_there_and_esc_comes_back() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, _bridge: FakeBridge) -> None:
        await press(pilot, "tab", "k", "escape")
        assert screen.query_one(MomentList).has_focus
        assert not screen.query_one(Transcript).has_focus
        await press(pilot, "ctrl+t")
        assert not screen.query_one(TodoPanel).unfolded
        await press(pilot, "escape")
        assert pilot.app.screen is not screen

    await opened(check)


async def test_an_empty_session_says_so() -> None:
    async def check(pilot: Pilot[None], screen: TimelineScreen, _bridge: FakeBridge) -> None:
        assert "Nothing has happened" in words(screen, "#place")
        await press(pilot, "f", "left", "down", "r")

    await opened(check, FakeBridge(), (80, 24))


def test_the_bar_marks_the_place_among_the_turns() -> None:
    assert scrub_line(0, 11, [0, 5], 11).plain == "●────┴─────"
    assert scrub_line(10, 11, [0, 5], 11).plain == "┷━━━━┷━━━━●"
    assert "┴" not in scrub_line(0, 100, list(range(50)), 20).plain
    assert scrub_line(0, 0, [], 20).plain == ""
