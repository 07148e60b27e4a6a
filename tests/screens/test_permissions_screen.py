"""The permissions screen: rules in force, past decisions, and a rule that is tried."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.engine.base.visible import exact
from dsh_tui.engine.projection.permission_views import DryRunView, RuleRow
from dsh_tui.screens.permissions import PermissionsScreen
from dsh_tui.widgets.decision_list import DecisionList
from dsh_tui.widgets.rule_list import RuleList
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import app_over, chat, started
from tests.fakes.fake_permissions import row, sample_decisions, sample_rules

LOG_RULE = "allow bash(git log *)"


@dataclass
class Shown:
    pilot: Pilot[None]
    screen: PermissionsScreen
    bridge: FakeBridge

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settled()

    async def settled(self) -> None:
        await self.pilot.pause(0.12)
        await self.pilot.app.workers.wait_for_complete()
        await self.pilot.pause()

    def words(self, where: str) -> str:
        return str(self.screen.query_one(where, Static).content)

    @property
    def rules(self) -> list[str]:
        return [row.rule for row in self.screen.query_one(RuleList).rows]

    @property
    def calls(self) -> list[str]:
        return [row.call for row in self.screen.query_one(DecisionList).rows]


def held() -> FakeBridge:
    bridge = FakeBridge(chat())
    bridge.permissions.held = sample_rules()
    bridge.permissions.decided = sample_decisions()
    covered = tuple(row for row in reversed(sample_decisions()) if "git log" in row.call)
    bridge.permissions.runs[LOG_RULE] = DryRunView("would allow 2 of 8, among them 1 you refused", covered)
    return bridge


@asynccontextmanager
async def opened(bridge: FakeBridge | None = None, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Shown]:
    bridge = bridge or held()
    app = app_over(bridge)
    async with started(app, size) as pilot:
        await pilot.press("ctrl+x", "u")
        await pilot.pause()
        assert isinstance(app.screen, PermissionsScreen)
        shown = Shown(pilot, app.screen, bridge)
        await shown.settled()
        yield shown


async def test_it_lists_rules_and_decisions_and_tells_the_highlighted_one_in_full() -> None:
    async with opened() as it:
        assert it.rules == [row.rule for row in sample_rules()]
        assert it.calls == [row.call for row in sample_decisions()]
        assert it.words("#counts") == "4 rules · 8 decisions"
        await it.press("tab", "tab", "down", "down", "down")
        assert "Refused by you after 41 s · not to main" in it.words("#detail")
        assert "Fix the flaky retry test" in it.words("#detail")


async def test_a_rule_that_cant_be_read_says_what_it_comes_to_and_why() -> None:
    bridge = held()
    why = "'deny files(x)' is no rule: files takes no pattern."
    unread = RuleRow(rule="deny files(x)", scope="session", unread="every call asks", why=why)
    bridge.permissions.held = [unread, *sample_rules()]
    async with opened(bridge) as it:
        rows = it.screen.query_one(RuleList)
        drawn = rows.draw(unread, 100).plain
        assert drawn.startswith("unread deny files(x)")
        assert drawn.endswith("this session  every call asks")
        assert why in it.words("#place")
        await it.press("enter")
        assert rows.has_focus  # there is nothing to try
        await it.press("down")
        assert "d revokes a rule" in it.words("#place")
        await it.press("up", "d")
        assert it.bridge.asked == [("revoke", "deny files(x)", "session")]


@pytest.mark.parametrize("name", ["a\x9b31mX", "\u202eX", "a\x1b]0;t\x07b"])
async def test_names_with_control_characters_are_shown_whole_and_harmless(name: str) -> None:
    bridge = held()
    rule = RuleRow(rule=f"allow edit({name})", scope="user", hits=0)
    bridge.permissions.held = [rule]
    bridge.permissions.decided = (row(f"Edit {name}", 1),)
    async with opened(bridge) as it:
        await it.press("tab", "tab")
        assert it.words("#counts") == "1 rule · 1 decision"
        shown = [it.screen.query_one(RuleList).draw(rule, 100).plain, it.words("#detail").splitlines()[0]]
        for line in shown:
            assert exact(name) in line
            assert line.isprintable()


async def test_a_rule_is_revoked_by_one_key_and_brought_back_by_another() -> None:
    async with opened() as it:
        await it.press("down", "d")
        assert it.bridge.asked == [("revoke", "ask edit(deploy/**)", "project")]
        assert "ask edit(deploy/**)" not in it.rules
        assert "ctrl+z" in it.words("#place")
        await it.press("ctrl+z", "ctrl+z")
        assert it.bridge.asked[1:] == [("restore", "ask edit(deploy/**)", "project")]
        assert "ask edit(deploy/**)" in it.rules


@pytest.mark.parametrize("failing", ["revoke", "restore"])
async def test_what_cannot_be_changed_is_said_and_stays_as_it_is(failing: str) -> None:
    bridge = held()
    bridge.fails[failing] = OSError("the disk is full")
    async with opened(bridge) as it:
        await it.press("d", "ctrl+z")
        if failing == "restore":
            assert "the disk is full" in it.words("#place")
            del bridge.fails["restore"]
            await it.press("ctrl+z")  # not forgotten: it can be tried again
        assert len(it.rules) == 4


async def test_letters_filter_the_decisions_by_every_word() -> None:
    async with opened() as it:
        await it.press("tab", "tab", *"refused", "space", *"log")
        assert it.calls == ["Run git log -p -3"]
        assert it.words("#found") == "1 of 8"
        await it.press("escape")
        assert len(it.calls) == 8


async def test_a_typed_rule_is_tried_on_all_past_calls_and_shows_the_surprises_first() -> None:
    async with opened() as it:
        await it.press("tab")
        names = {"(": "left_parenthesis", ")": "right_parenthesis", "*": "asterisk", " ": "space"}
        await it.pilot.press(*(names.get(letter, letter) for letter in LOG_RULE))
        await it.settled()
        assert it.words("#verdict") == "would allow 2 of 8, among them 1 you refused"
        assert it.calls == ["Run git log -p -3", "Run git log --oneline -5"]
        await it.press("x")
        assert "is no rule" in it.words("#verdict")
        await it.press("escape")
        assert len(it.calls) == 8


async def test_enter_on_a_rule_tries_it() -> None:
    async with opened() as it:
        await it.press("down", "down", "enter")
        assert it.words("#verdict") == "would allow 2 of 8, among them 1 you refused"


async def test_without_rules_it_says_what_decides_and_the_decisions_have_the_focus() -> None:
    async with opened(FakeBridge(chat())) as it:
        assert "the mode alone decides" in it.words("#none")
        assert isinstance(it.screen.focused, DecisionList)
        assert it.words("#counts") == "0 rules · 0 decisions"


async def test_what_cannot_be_read_is_said_and_the_rest_is_shown() -> None:
    bridge = held()
    bridge.fails["decisions"] = OSError("the disk is gone")
    async with opened(bridge) as it:
        assert "the disk is gone" in it.words("#place")
        assert len(it.rules) == 4


async def test_esc_goes_back_to_the_chat() -> None:
    async with opened() as it:
        await it.press("escape")
        assert not isinstance(it.pilot.app.screen, PermissionsScreen)


@pytest.mark.parametrize("size", [(40, 10), (20, 6), (200, 60)])
async def test_in_any_window_the_list_moves_and_can_be_left(
    size: tuple[int, int],
) -> None:
    async with opened(size=size) as it:
        await it.press("tab", "tab", "down", "down")
        assert it.screen.query_one(DecisionList).highlighted == 2
        await it.pilot.resize_terminal(80, 24)
        await it.settled()
        assert "pytest" in it.words("#detail")
        await it.press("escape")
        assert not isinstance(it.pilot.app.screen, PermissionsScreen)
