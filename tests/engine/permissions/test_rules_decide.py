"""What rules make of calls, beside the mode and beside hooks, in a running step."""

from __future__ import annotations

import asyncio

import pytest

from dsh_tui.engine.approval.place import place_of
from dsh_tui.engine.approval.requests import Answer
from dsh_tui.engine.kernel import Next, find_fiber
from dsh_tui.engine.modes.mode import Mode
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.permissions import plugin as permissions_plugin
from dsh_tui.engine.permissions.book import PermissionsConfig
from dsh_tui.engine.permissions.past_calls import PastCalls
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.decisions import Ask, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.events import PRE_EXECUTE
from tests.fakes.permission_bench import RulesBench, open_rules_bench, rules
from tests.fakes.tool_bench import text

LS = "ls -la"


@pytest.mark.parametrize(
    ("user", "mode", "ran", "decided"),
    [
        (["allow bash(ls *)"], "ask", True, [("allow", "allow bash(ls *)", "user")]),
        (["deny bash(ls *)"], "ask", False, [("deny", "deny bash(ls *)", "user")]),
        (["deny bash(ls *)", "allow bash(ls *)"], "ask", False, [("deny", "deny bash(ls *)", "user")]),
        (["deny bash(ls *)"], "full", False, [("deny", "deny bash(ls *)", "user")]),
        (["allow bash(ls *)"], "full", True, []),
        (["allow bash(ls *)"], "plan", False, []),
        (["deny bash"], "plan", False, [("deny", "deny bash", "user")]),
    ],
)
async def test_a_rule_decides_without_a_question_and_is_logged(
    user: list[str], mode: Mode, ran: bool, decided: list[tuple[str, str, str]]
) -> None:
    async with open_rules_bench(*user, mode=mode) as it:
        await it.run(LS)
        assert it.ran == ([LS] if ran else [])
        assert it.data("approval/asked") == []
        logged = it.data("permission/decided")
        assert [(one["decision"], one["rule"], one["scope"]) for one in logged] == decided
        assert [one["callId"] for one in logged] == ["c1"] * len(decided)


@pytest.mark.parametrize("mode", ["ask", "edits", "full"])
async def test_an_ask_rule_asks_in_every_mode_whatever_allows(mode: Mode) -> None:
    async with open_rules_bench("allow bash", "ask bash(ls *)", mode=mode) as it:
        running = asyncio.create_task(it.run(LS))
        await it.bench.clock.settle()
        (request,) = it.desk.waiting
        assert request.by == "ask bash(ls *)"
        it.desk.answer(request.id, Answer("rejected"))
        await running
        assert it.ran == []


async def test_the_model_is_told_of_a_deny_rule_and_the_step_goes_on() -> None:
    async with open_rules_bench("deny bash(rm *)", "allow bash(ls *)") as it:
        await it.run("rm -rf build", LS)
        assert it.ran == [LS]
        first = it.bench.results()[0]
        assert "bash(rm *)" in text(first)
        assert first["error"]["code"] == "TOOL_DENIED"


async def test_a_rule_answers_for_the_mode_and_never_for_a_hook() -> None:
    async def hook(_call: ToolCall, _tool: AnyTool, _next: Next[PreDecision]) -> PreDecision:
        return Ask("A plugin wants a person to look.", by="watchdog")

    async with open_rules_bench("allow bash(ls *)") as it:
        it.bench.root.on(PRE_EXECUTE, hook)
        running = asyncio.create_task(it.run(LS))
        await it.bench.clock.settle()
        (request,) = it.desk.waiting
        assert request.by == "watchdog"
        assert it.data("approval/asked")[0]["by"] == "watchdog"
        proposal = await it.book.proposal(request)
        assert (proposal.rules, "watchdog" in proposal.why_not) == ((), True)
        it.desk.answer(request.id, Answer("allowed-once"))
        await running
        assert it.data("permission/decided") == []


async def test_rules_of_the_session_come_first_when_one_of_two_alike_is_named() -> None:
    async with open_rules_bench("allow bash(ls *)") as it:
        it.bench.open_step()
        await it.book.add(it.bench.session, rules("allow bash(ls *)"), "session")
        await it.run(LS)
        assert it.data("permission/decided")[0]["scope"] == "session"


async def test_a_rule_of_the_session_holds_until_it_is_revoked() -> None:
    async with open_rules_bench() as it:
        it.bench.open_step()
        await it.book.add(it.bench.session, rules("allow bash(ls *)"), "session")
        await it.book.add(it.bench.session, rules("allow bash(ls *)"), "session")
        await it.run(LS)
        assert it.ran == [LS]
        assert len(it.data("permission/rule")) == 1
        (rule,) = rules("allow bash(ls *)")
        await it.book.revoke(it.bench.session, rule, "session")
        await it.book.revoke(it.bench.session, rule, "session")
        assert len(it.data("permission/revoked")) == 1
        assert it.book.rules(it.bench.session) == ()


async def test_a_fork_does_not_inherit_rules_and_a_resumed_session_keeps_them() -> None:
    async with open_rules_bench() as it:
        it.bench.open_step()
        await it.book.add(it.bench.session, rules("allow bash(ls *)"), "session")
        it.bench.close_turn()
        store = it.bench.root[SESSIONS]
        fork = store.fork(it.bench.session.id)
        assert it.book.rules(fork) == ()
        store.detach(it.bench.session)
        resumed = store.create(
            id=it.bench.session.id, meta=it.bench.session.header, seed=list(it.bench.session.events)
        )
        assert [one.rule.text for one in it.book.rules(resumed)] == ["allow bash(ls *)"]


async def test_a_mode_that_refuses_is_not_lifted_by_a_rule_of_any_scope() -> None:
    async with open_rules_bench("allow bash") as it:
        it.bench.open_step()
        await it.book.add(it.bench.session, rules("allow bash"), "session")
        it.bench.root[MODES].set(it.bench.session, "plan")
        await it.run(LS)
        assert it.ran == []


async def step_of(it: RulesBench, *commands: str) -> None:
    """A step whose answer is logged, as the loop logs it, so that calls know their neighbours."""
    it.bench.open_step()
    blocks = [
        {"type": "tool-call", "id": f"c{at}", "name": "bash", "arguments": f'{{"command":"{command}"}}'}
        for at, command in enumerate(commands, 1)
    ]
    it.bench.session.append(
        "assistant/message",
        {"turn": 1, "step": 1, "id": "m1", "content": blocks, "source": {"kind": "model"}},
        surface={"op": "append"},
    )
    await it.run(*commands)


async def test_each_question_says_where_it_stands_among_those_of_its_step() -> None:
    async with open_rules_bench("allow bash(ls *)", "deny bash(rm *)") as it:
        running = asyncio.create_task(step_of(it, "touch a", LS, "touch b", "rm c", "touch d"))
        seen = []
        for _ in range(3):
            await it.bench.clock.settle()
            (request,) = it.desk.waiting
            seen.append(request.place)
            it.desk.answer(request.id, Answer("allowed-once"))
        await running
        assert seen == [(1, 3), (2, 3), (3, 3)]
        assert it.ran == ["touch a", LS, "touch b", "touch d"]


async def test_looking_at_the_calls_behind_a_question_binds_it_to_nothing() -> None:
    async with open_rules_bench() as it:
        running = asyncio.create_task(step_of(it, "touch a", "touch b"))
        await it.bench.clock.settle()
        asked = it.desk.waiting[0].call
        behind: list[ToolCall] = []

        def would_ask(call: ToolCall) -> bool:
            behind.append(call)
            return True

        assert place_of(asked, would_ask) == (2, 3)  # this question is logged by now
        assert behind[0].admission.mode == asked.admission.mode == "ask"
        assert behind[0].admission is not asked.admission
        for _ in range(2):
            it.desk.answer(it.desk.waiting[0].id, Answer("rejected"))
            await it.bench.clock.settle()
        await running


async def test_a_question_that_stands_alone_has_no_place() -> None:
    async with open_rules_bench("allow bash(ls *)") as it:
        running = asyncio.create_task(step_of(it, LS, "touch b"))
        await it.bench.clock.settle()
        assert it.desk.waiting[0].place is None
        it.desk.answer(it.desk.waiting[0].id, Answer("rejected"))
        await running


async def test_a_book_that_is_mounted_again_has_the_sessions_rules_from_its_log() -> None:
    async with open_rules_bench() as it:
        it.bench.open_step()
        await it.book.add(it.bench.session, rules("allow bash(ls *)"), "session")
        root = it.bench.root
        await find_fiber(root.fiber, permissions_plugin.name).dispose()
        running = asyncio.create_task(it.run(LS))
        await it.bench.clock.settle()
        (request,) = it.desk.waiting  # without a book the mode decides alone, and no rule can be kept
        it.desk.answer(request.id, Answer("allowed-once", rules=rules("allow bash(ls *)")))
        await running
        assert "rules" not in it.data("approval/decided")[0]
        await root.plugin(permissions_plugin, PermissionsConfig(past=PastCalls()))
        await it.run(LS)
        assert it.ran == [LS, LS]
        assert it.data("permission/decided")[0]["rule"] == "allow bash(ls *)"
