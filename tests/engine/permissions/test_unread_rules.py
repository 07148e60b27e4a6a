"""Rules that can't be read: told, listed, revocable; and what they may deny asks in every mode."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.approval.requests import Answer
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.modes.mode import Mode
from dsh_tui.engine.permissions.book import ScopedUnread
from dsh_tui.engine.permissions.broken_file import strict_rules
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.scope import create_scope
from dsh_tui.engine.session.store import SESSIONS
from tests.fakes.permission_bench import RulesBench, open_rules_bench
from tests.fakes.tool_bench import StillAgent, ToolBench

NEWER = "deny bash(host:example.com)(once)"
PATH = Path("/p/settings.yaml")


@pytest.mark.parametrize(
    ("text", "may_mean"),
    [
        ("deny bash(git push", {"bash"}),
        ("ask bash(a; b)", {"bash"}),
        ("deny edit(../x)", {"edit"}),
        ("deny files(secret/**)", {"bash", "read", "edit", "todo_write"}),
        ("deny bash|edit(x)", {"bash", "read", "edit", "todo_write"}),
        ("forbid bash(x)", {"bash", "read", "edit", "todo_write"}),
        ("allow!", {"bash", "read", "edit", "todo_write"}),
        ("", {"bash", "read", "edit", "todo_write"}),
        ("allow bash(x) once", set()),
    ],
)
def test_a_rule_that_cant_be_read_may_mean_whatever_it_does_not_rule_out(
    text: str, may_mean: set[str]
) -> None:
    unread = UnreadRule.of(text, "why")
    assert {tool for tool in ("bash", "read", "edit", "todo_write") if unread.may_mean(tool)} == may_mean


@pytest.mark.parametrize(
    ("content", "held", "unread"),
    [
        ("permissions: {deny: ['bash(rm *)', 'bash(a; b)'], allow: [bash]}", ["deny bash(rm *)"], ["bash"]),
        ("permissions: {ask: [edit], forbid: [read]}", ["ask edit"], [None]),
        ("permissions: {deny: [edit], deny: [read]}", ["deny edit", "deny read"], []),
        ("permissions: {deny: bash}", [], [None]),
        ("premissions: {ask: [bash]}\npermissions: {deny: [edit]}", ["deny edit"], [None]),
        ("permissions: {ask: bash, deny: [[x], edit]}", ["deny edit"], [None]),
        ("permissions: {? [ask] : [bash], deny: ['', edit]}", ["deny edit"], [None, None]),
        ("permissions: {deny: [[bash]]}", [], [None]),
        ("permissions: {deny: [!!binary YmFz]}", [], [None]),
        ("permissions: {<<: {deny: [bash]}}", [], [None]),
        ("permissions: [deny]", [], [None]),
        ("permisions: {deny: [bash]}", [], [None]),
        ("a: [{b: {ask: [bash]}}]", [], [None]),
        ("permissions:\ndeny:\n  - bash(rm *)\n", [], [None]),
        ("permissions: {ask: [edit]}\nask: [bash]", ["ask edit"], [None]),
        ("Permissions: {Deny: [bash]}", [], [None]),
        ("permisions: {dney: ['bash(rm *)']}", [], [None]),
        ("permissions:\nallow:\n  - bash(rm *)\n", [], []),
        ("rules: [deny bash]", [], [None]),
        ("rules: {? [deny] : bash}", [], [None]),
        ("deny bash(rm *): yes", [], [None]),
        ("modle: x\nproviders: {deepseek: {models: [ask-1, bash]}}\nkeymap: {edit: ctrl+e}", [], []),
        ("permissions: {deny: ['bash(rm *)'", [], [None]),
        ("- deny", [], [None]),
        ("\udcff", [], [None]),
        ("modle: x\npermissions:\n", [], []),
        ("permissions: {allow: [bash(x], deny: }", [], []),
        ("", [], []),
    ],
)
def test_a_broken_file_loses_nothing_that_it_denies_and_allows_nothing(
    content: str, held: list[str], unread: list[str | None]
) -> None:
    strict = strict_rules(PATH, content.encode("utf-8", "surrogateescape"), f"{PATH}:1: why")
    assert [rule.text for rule in strict.rules] == held
    assert [one.tool for one in strict.unread] == unread


@asynccontextmanager
async def resumed(*texts: str, mode: Mode = "ask", user: tuple[str, ...] = ()) -> AsyncIterator[Resumed]:
    """A session that goes on from a log with these rules."""
    told: list[str] = []

    def listen(root: Context) -> None:
        root.on(RULES_IGNORED, told.append, everywhere=True)

    async with open_rules_bench(*user, mode=mode, before=listen) as it:
        begun = it.bench.session
        it.bench.open_step()
        for text in texts:
            begun.append("permission/rule", {"rule": text, "by": "user"})
        it.bench.close_turn()
        store = it.bench.root[SESSIONS]
        store.detach(begun)
        told.clear()
        agent = StillAgent(store.create(id=begun.id, meta=begun.header, seed=list(begun.events)))
        agent.scope = create_scope(it.bench.root, agent)
        it.bench = ToolBench(it.bench.root, cast("Agent", agent), it.bench.clock)
        yield Resumed(it, told)


@dataclass
class Resumed:
    """The bench, and what a person was told."""

    it: RulesBench
    told: list[str]

    @property
    def unread(self) -> tuple[ScopedUnread, ...]:
        return self.it.book.unread(self.it.bench.session)

    async def asked_about(self, command: str) -> str:
        """Run a command that must ask; who asks. The answer is no."""
        running = asyncio.create_task(self.it.run(command))
        await self.it.bench.clock.settle()
        (request,) = self.it.desk.waiting
        self.it.desk.answer(request.id, Answer("rejected"))
        await running
        return request.by


async def test_a_resumed_session_tells_once_of_a_rule_that_cant_be_read() -> None:
    async with resumed(NEWER, "deny bash(rm *)") as log:
        (told,) = log.told
        assert "until it is revoked, every call of bash asks" in told
        assert NEWER.removeprefix("deny ") in told
        assert "\n" not in told
        (unread,) = log.unread
        assert (unread.rule.text, unread.scope, unread.since is None) == (NEWER, "session", False)
        assert [one.rule.text for one in log.it.book.rules(log.it.bench.session)] == ["deny bash(rm *)"]
        assert len(log.told) == 1


@pytest.mark.parametrize("mode", ["ask", "edits", "full"])
async def test_what_it_may_deny_asks_in_every_mode_whatever_allows(mode: Mode) -> None:
    async with resumed(NEWER, mode=mode, user=("allow bash",)) as log:
        assert await log.asked_about("ls") == NEWER
        assert log.it.ran == []


async def test_a_rule_that_denies_or_a_mode_that_refuses_is_not_softened_by_one_that_cant_be_read() -> None:
    async with resumed(NEWER, mode="plan", user=("deny bash(ls *)",)) as log:
        await log.it.run("ls", "pwd")
        assert log.it.ran == []
        assert log.it.data("approval/asked") == []


async def test_an_allow_that_cant_be_read_is_told_and_changes_nothing() -> None:
    async with resumed("allow bash(ls) today", user=("allow bash(ls)",)) as log:
        assert "it allows nothing" in log.told[0]
        await log.it.run("ls")
        assert log.it.ran == ["ls"]


async def test_it_can_be_revoked_and_brought_back_unread() -> None:
    async with resumed(NEWER, mode="full") as log:
        (unread,) = log.unread
        log.it.book.revoke_unread(log.it.bench.session, unread)
        assert not log.it.book.unread(log.it.bench.session)
        await log.it.run("ls")
        assert log.it.ran == ["ls"]
        log.it.book.restore_unread(log.it.bench.session, unread)
        assert [one.rule for one in log.unread] == [unread.rule]
        assert [one["rule"] for one in log.it.data("permission/rule")] == [NEWER, NEWER]


async def test_one_that_stands_in_a_file_is_not_taken_out_by_guessing() -> None:
    async with resumed() as log:
        unread = ScopedUnread(UnreadRule.of(NEWER, f"{PATH}:3: why"), "project")
        with pytest.raises(HarnessError, match=r"mend the file by hand: /p/settings\.yaml:3"):
            log.it.book.revoke_unread(log.it.bench.session, unread)


async def test_one_that_somebody_logs_while_the_session_runs_is_told_at_once() -> None:
    async with resumed() as log:
        log.it.bench.open_step()
        log.it.bench.session.append("permission/rule", {"rule": NEWER, "by": "a plugin"})
        assert len(log.told) == 1
        assert await log.asked_about("ls") == NEWER
