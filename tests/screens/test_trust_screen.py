"""Folder trust on the screen: it waits for quiet, shows all that hides, and no key in flight answers it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from textual import events
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.trust_views import TrustEntry, TrustQuestion
from dsh_tui.screens.trust import TrustScreen
from dsh_tui.widgets.card_text import CardText
from dsh_tui.widgets.trust_answers import TrustAnswers
from dsh_tui.widgets.trust_list import TrustList
from tests.fakes.fake_bridge import Asked, FakeBridge
from tests.fakes.fake_chat import Hands, app_over, chat, command_approval, running, started

QUESTION = TrustQuestion(
    id="q1",
    project="/work/payments-api",
    entries=(
        TrustEntry(
            kind="plugin",
            path=".dsh/plugins/a\n[b]\u202e.py",
            size=34,
            state="new",
            text="import os\nos.system('\x1b[2Jrm')\n",
        ),
        TrustEntry(kind="instructions", path="AGENTS.md", size=8, state="trusted", text="be kind"),
    ),
    never=((".dsh/skills", "skills are not supported yet; nothing loads them"),),
)


@dataclass
class Scene:
    """An app with something that waits for trust, and the clock that the screen looks at."""

    app: DshApp
    pilot: Pilot[None]
    bridge: FakeBridge
    hands: Hands

    @property
    def asks(self) -> bool:
        return isinstance(self.app.screen, TrustScreen)

    @property
    def answers(self) -> list[Asked]:
        return [asked for asked in self.bridge.asked if asked[0] == "trust"]

    async def quiet(self, seconds: float) -> None:
        """Let time pass without a key, and let whoever waits notice."""
        self.hands.pass_(seconds)
        if isinstance(self.app.screen, TrustScreen):
            self.app.screen.tick()
        else:
            self.app.chat.ask_when_quiet()
        await self.pilot.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def armed(self) -> None:
        await self.quiet(0.71)
        assert self.asks
        await self.quiet(0.43)
        assert self.app.screen.query_one(TrustAnswers).armed


@asynccontextmanager
async def scene(size: tuple[int, int] = (80, 24), **view: object) -> AsyncIterator[Scene]:
    hands = Hands()
    idle = running(state="idle", turn_started=None, last_activity=None)
    bridge = FakeBridge(chat(status=idle))
    bridge.trust.asking = QUESTION
    app = app_over(bridge, hands=hands)
    async with started(app, size) as pilot:
        await pilot.press("x", "backspace")  # a key just now
        bridge.change(asks_trust=True, untrusted=1, **view)
        await pilot.pause()
        yield Scene(app, pilot, bridge, hands)


async def test_it_comes_by_itself_once_nobody_has_typed_for_a_while() -> None:
    async with scene() as it:
        await it.quiet(0.6)
        assert not it.asks
        await it.quiet(0.2)
        assert it.asks


async def test_what_takes_long_to_read_is_read_once_and_then_asked() -> None:
    async with scene() as it:
        it.bridge.trust.readable.clear()
        it.hands.pass_(60)
        for _ in range(3):
            it.app.chat.ask_when_quiet()
            await it.pilot.pause()
        assert not it.asks
        it.bridge.trust.readable.set()
        await it.quiet(0)
        assert it.asks
        assert it.bridge.trust.readings == 1


async def test_what_can_not_be_read_is_said_once_and_can_be_asked_for_again() -> None:
    async with scene() as it:
        it.bridge.fails["question"] = OSError("no descriptors left")
        await it.quiet(60)
        await it.quiet(60)
        assert not it.asks
        assert it.bridge.trust.readings == 1
        said = it.app.chat.status_bar.render()
        assert isinstance(said, Content)
        assert "no descriptors left" in said.plain
        del it.bridge.fails["question"]
        it.app.chat.action_trust_show()
        await it.quiet(0)
        assert it.asks


async def test_it_waits_for_an_empty_draft() -> None:
    async with scene() as it:
        await it.pilot.press("a")
        await it.quiet(60)
        assert not it.asks
        await it.pilot.press("backspace")
        await it.quiet(0.71)
        assert it.asks


async def test_it_waits_while_the_agent_works_or_something_is_to_be_approved() -> None:
    async with scene(status=running()) as it:
        await it.quiet(60)
        assert not it.asks
        it.bridge.status(state="idle")
        it.bridge.change(approvals=(command_approval(),))
        await it.pilot.pause()
        await it.quiet(60)
        assert not it.asks


async def test_it_is_not_asked_again_once_that_is_settled() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("escape")
        it.bridge.change(asks_trust=False)
        await it.pilot.pause()
        assert it.answers == [("trust", "q1", "later")]
        await it.quiet(60)
        assert not it.asks


async def test_enter_before_it_is_armed_goes_to_the_draft_and_answers_nothing() -> None:
    async with scene() as it:
        await it.quiet(0.71)
        await it.pilot.press("enter")
        await it.pilot.pause()
        assert it.answers == []
        assert not it.asks


@pytest.mark.parametrize("moves", [["right"], ["left"], ["tab"], ["right", "right", "right", "right"]])
async def test_enter_on_an_answer_counts_only_after_quiet(moves: list[str]) -> None:
    async with scene() as it:
        await it.quiet(0.71)
        await it.pilot.press(*moves, "enter")
        assert it.answers == []
        assert it.asks
        await it.quiet(0.43)
        await it.pilot.press("enter")
        await it.pilot.pause()
        assert len(it.answers) == 1


async def test_no_answer_is_focused_at_first_and_enter_then_does_nothing() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("enter", "enter", "down", "enter")
        assert it.answers == []
        assert it.asks


async def test_the_first_answer_trusts() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press("right", "enter")
        await it.pilot.pause()
        assert it.answers == [("trust", "q1", "trust")]
        assert not it.asks


@pytest.mark.parametrize("first", ["1", "j", "k", "g", "y", "space"])
async def test_what_is_typed_on_it_is_the_beginning_of_a_draft(first: str) -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.press(first)
        await it.pilot.pause()
        await it.pilot.press(*"yes")
        assert it.answers == []
        assert not it.asks
        assert it.app.chat.composer.text == f"{' ' if first == 'space' else first}yes"


async def test_a_paste_on_it_is_the_beginning_of_a_draft() -> None:
    async with scene() as it:
        await it.armed()
        it.app.post_message(events.Paste("1\ny\n"))
        await it.pilot.pause()
        await it.pilot.pause()
        assert it.answers == []
        assert it.app.chat.composer.text.startswith("1")


async def test_a_resize_disarms_it() -> None:
    async with scene() as it:
        await it.armed()
        await it.pilot.resize_terminal(100, 30)
        await it.pilot.press("right", "enter")
        assert it.answers == []


async def test_where_nothing_would_take_effect_it_says_so_and_can_be_left() -> None:
    async with scene() as it:
        it.bridge.trust.asking = TrustQuestion(id="q3", project="/p")
        await it.armed()
        assert "Nothing here would take effect" in str(it.app.screen.query_one("#about", Static).content)
        assert it.app.screen.query_one(TrustAnswers).answers == ("leave",)
        await it.pilot.press("down", "right", "enter")
        await it.pilot.pause()
        assert not it.asks


async def test_in_a_window_that_shows_too_little_nothing_can_be_answered_but_no() -> None:
    async with scene(size=(59, 13)) as it:
        await it.quiet(0.71)
        await it.quiet(0.43)
        await it.pilot.press("right", "enter")
        assert it.answers == []
        assert "Enlarge the window" in str(it.app.screen.query_one("#place", Static).content)
        await it.pilot.press("escape")
        await it.pilot.pause()
        assert it.answers == [("trust", "q1", "later")]


async def test_in_a_small_window_all_answers_and_the_keys_are_in_view() -> None:
    async with scene(size=(40, 12)) as it:
        await it.quiet(0.71)
        screen = it.app.screen
        answers, place = screen.query_one("#answers"), screen.query_one("#place")
        assert screen.region.contains_region(answers.region)
        assert screen.region.contains_region(place.region)
        drawn = str(answers.render())
        assert drawn.split() == ["Trust", "Not", "now", "Never", "Revoke"]
        assert len(drawn) <= answers.size.width


async def test_a_click_counts_only_when_it_is_armed() -> None:
    async with scene() as it:
        await it.quiet(0.71)
        await it.pilot.click(TrustAnswers, offset=(3, 0))
        assert it.answers == []
        await it.quiet(0.43)
        await it.pilot.click(TrustAnswers, offset=(3, 0))
        await it.pilot.pause()
        assert it.answers == [("trust", "q1", "trust")]


async def test_names_and_contents_are_shown_with_nothing_hidden() -> None:
    async with scene() as it:
        await it.armed()
        rows = it.app.screen.query_one(TrustList)
        lines = [rows.render_line(y).text for y in range(3)]
        assert ".dsh/plugins/a␊[b]\\u202e.py" in lines[0]
        assert lines[1].startswith("trusted  instructions AGENTS.md")
        assert "skills are not supported yet" in lines[2]
        card = it.app.screen.query_one(CardText)
        assert "os.system('␛[2Jrm')" in card.render_line(1).text
        await it.pilot.press("down")
        assert "be kind" in card.render_line(0).text


async def test_what_could_not_be_kept_is_said_and_can_be_answered_again() -> None:
    async with scene() as it:
        it.bridge.fails["trust"] = OSError("no room\x1b")
        await it.armed()
        await it.pilot.press("right", "enter")
        await it.pilot.pause()
        assert it.asks
        assert "no room␛" in str(it.app.screen.query_one("#place", Static).content)


async def test_it_can_be_asked_for_and_the_header_says_that_something_waits() -> None:
    async with scene() as it:
        assert it.app.chat.header_bar.facts.untrusted == 1
        await it.pilot.press(*"/trust", "enter")
        await it.pilot.app.workers.wait_for_complete()
        await it.pilot.pause()
        assert it.asks


async def test_where_all_is_trusted_it_can_only_be_left_or_taken_back() -> None:
    async with scene() as it:
        it.bridge.trust.asking = TrustQuestion(id="q2", project="/p", entries=QUESTION.entries[1:])
        await it.armed()
        assert it.app.screen.query_one(TrustAnswers).answers == ("leave", "revoke")
