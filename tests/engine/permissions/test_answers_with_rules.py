"""An answer that keeps a rule: what is stored, in which order, and what happens when it can't be."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest

from dsh_tui.engine.approval.events import RULES_NOT_KEPT
from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.approval.service import APPROVAL
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.permissions.book import PermissionsConfig, Scope
from dsh_tui.engine.permissions.past_calls import PastCalls
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.rule_file import RuleFile
from dsh_tui.engine.scope import create_scope
from dsh_tui.engine.settings.rules import read_user_rules
from dsh_tui.engine.settings.settings_file import SettingsFile
from tests.fakes.permission_bench import RulesBench, another, open_rules_bench, rules
from tests.fakes.tool_bench import text

PUSH = "git push origin main"
SETTINGS = (
    "# mine\nmodel: deepseek-flash   # the quick one\npermissions:\n  deny:\n    - bash(rm *)  # never\n"
)


async def asked(it: RulesBench) -> ApprovalRequest:
    await it.bench.clock.settle()
    (request,) = it.desk.waiting
    return request


async def answered(it: RulesBench, command: str, answer: Answer) -> list[str]:
    """Run one command whose question gets this answer; what the person was told beside."""
    told: list[str] = []
    stop = it.bench.root.on(RULES_NOT_KEPT, lambda _call, why: told.append(why))
    running = asyncio.create_task(it.run(command))
    it.desk.answer((await asked(it)).id, answer)
    await running
    await stop()
    return told


def following(settings: Path) -> PermissionsConfig:
    """The user's rules as the product follows them."""
    file = SettingsFile(settings, tolerant=True)

    async def reload() -> None:
        file.reload()

    return PermissionsConfig(
        user_rules=lambda: file.current.permissions.rules,
        user_file=RuleFile(settings, read_user_rules),
        reload=reload,
        past=PastCalls(),
    )


async def test_the_rule_is_logged_before_the_answer_and_the_next_call_runs_by_it() -> None:
    async with open_rules_bench() as it:
        running = asyncio.create_task(it.run(PUSH))
        request = await asked(it)
        proposal = await it.book.proposal(request)
        it.desk.answer(request.id, Answer("allowed-once", rules=proposal.rules, scope="session"))
        await running
        kinds = [
            event.type for event in it.bench.logged("approval/asked", "permission/rule", "approval/decided")
        ]
        assert kinds == ["approval/asked", *["permission/rule"] * len(proposal.rules), "approval/decided"]
        (decided,) = it.data("approval/decided")
        assert decided["outcome"] == "allowed-once"
        assert decided["rules"] == tuple(rule.text for rule in proposal.rules)
        assert decided["scope"] == "session"
        await it.run(PUSH)
        assert it.ran == [PUSH, PUSH]
        assert len(it.data("approval/asked")) == 1


async def test_the_users_settings_take_the_rule_and_keep_every_other_byte(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(SETTINGS)
    settings.chmod(0o644)
    async with open_rules_bench(config=following(settings)) as it:
        running = asyncio.create_task(it.run(PUSH))
        request = await asked(it)
        (rule,) = it.book.proposed(request)
        it.desk.answer(request.id, Answer("allowed-once", rules=(rule,), scope="user"))
        await running
        assert settings.read_text() == SETTINGS.replace(
            "permissions:\n", f"permissions:\n  allow:\n    - {rule.body}\n"
        )
        assert stat.S_IMODE(settings.stat().st_mode) == 0o644, "its own mode"
        await it.run(PUSH)
        assert it.ran == [PUSH, PUSH]
        await it.book.revoke(it.bench.session, rule, "user")
        assert settings.read_text() == SETTINGS.replace("permissions:\n", "permissions:\n  allow: []\n")
        assert [one.rule.text for one in it.book.rules(it.bench.session)] == ["deny bash(rm *)"]


async def test_a_rule_that_was_not_offered_for_the_call_is_refused_and_that_is_told() -> None:
    async with open_rules_bench() as it:
        told = await answered(it, PUSH, Answer("allowed-once", rules=rules("allow bash"), scope="session"))
        assert told == ["they were not offered for this call"]
        assert it.ran == [PUSH]
        assert it.data("permission/rule") == []
        assert "rules" not in it.data("approval/decided")[0]


@pytest.mark.parametrize("scope", ["user", "project"])
async def test_where_a_rule_cannot_be_kept_the_call_is_allowed_once_and_that_is_told(
    tmp_path: Path, scope: Scope
) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("model: [broken\n")
    async with open_rules_bench(config=following(settings)) as it:
        running = asyncio.create_task(it.run(PUSH))
        request = await asked(it)
        told: list[str] = []
        it.bench.root.on(RULES_NOT_KEPT, lambda _call, why: told.append(why))
        it.desk.answer(request.id, Answer("allowed-once", rules=it.book.proposed(request), scope=scope))
        await running
        assert it.ran == [PUSH]
        (why,) = told
        assert ("settings.yaml" in why, "\n" in why) == (True, False)
        assert "rules" not in it.data("approval/decided")[0]
        assert settings.read_text() == "model: [broken\n"


async def test_a_refusal_keeps_no_rule_and_tells_the_model_what_is_wanted_instead() -> None:
    async with open_rules_bench() as it:
        running = asyncio.create_task(it.run(PUSH))
        request = await asked(it)
        it.desk.answer(
            request.id,
            Answer(
                "rejected",
                "not to main",
                rules=it.book.proposed(request),
                replacement="git push origin HEAD:try",
            ),
        )
        await running
        (decided,) = it.data("approval/decided")
        assert decided["replacement"] == "git push origin HEAD:try"
        assert "rules" not in decided
        said = text(it.bench.results()[0])
        assert "did not run" in said
        assert said.endswith(
            "They want this instead, which did not run either:\ngit push origin HEAD:try\n"
            "They said:\nnot to main"
        )


async def test_other_questions_that_wait_are_not_released_by_a_rule() -> None:
    async with open_rules_bench() as it:
        other = another(it.bench)
        tasks = [
            asyncio.create_task(it.run(PUSH)),
            asyncio.create_task(other.run(("bash", {"command": PUSH}))),
        ]
        await it.bench.clock.settle()
        first, second = it.desk.waiting
        it.desk.answer(first.id, Answer("allowed-once", rules=it.book.proposed(first), scope="session"))
        await it.bench.clock.settle()
        assert it.desk.waiting == (second,)
        it.desk.answer(second.id, Answer("rejected"))
        await asyncio.gather(*tasks)
        assert it.ran == [PUSH]


async def test_forty_questions_at_once_are_answered_each_by_itself_in_any_order() -> None:
    async with open_rules_bench() as it:
        benches = [another(it.bench) for _ in range(40)]
        commands = [f"touch f{number}" for number in range(40)]
        tasks = [
            asyncio.create_task(bench.run(("bash", {"command": command})))
            for bench, command in zip(benches, commands, strict=True)
        ]
        await it.bench.clock.settle()
        waiting = it.desk.waiting
        assert [request.call.args["command"] for request in waiting] == commands
        for number in (*range(1, 40, 2), *range(38, -1, -2)):
            left = len(it.desk.waiting)
            allowed = number % 3 == 0
            assert it.desk.answer(waiting[number].id, Answer("allowed-once" if allowed else "rejected"))
            assert not it.desk.answer(waiting[number].id, Answer("allowed-once"))
            assert len(it.desk.waiting) == left - 1
        await asyncio.gather(*tasks)
        assert sorted(it.ran) == sorted(commands[number] for number in range(0, 40, 3))
        for bench, request in zip(benches, waiting, strict=True):
            (decided,) = bench.logged("approval/decided")
            assert decided.data["id"] == request.id


async def test_a_call_that_is_cancelled_leaves_the_desk_at_once_and_its_answer_is_late() -> None:
    async with open_rules_bench() as it:
        running = asyncio.create_task(it.run(PUSH))
        request = await asked(it)
        it.bench.signal.cancel("stop", {"kind": "user"})
        assert it.desk.waiting == ()
        late = Answer("allowed-once", rules=it.book.proposed(request), scope="session")
        assert it.desk.answer(request.id, late) is False
        await running
        assert (it.ran, it.data("permission/rule")) == ([], [])


async def test_a_program_answers_as_a_person_does() -> None:
    """What stands behind a front end without a screen: it gets the request whole and answers for itself."""
    seen: list[ApprovalRequest] = []

    async with open_rules_bench() as it:

        async def program(request: ApprovalRequest, _signal: CancelSignal) -> Answer:
            seen.append(request)
            if request.danger:
                return Answer("rejected", by="client", replacement="git clean -n")
            return Answer("allowed-once", by="client", rules=it.book.proposed(request))

        await it.leave()
        it.bench.root[APPROVAL].answer_with(it.bench.root, program)
        await it.run(PUSH, "rm -rf build")
        await it.run(PUSH)
        assert it.ran == [PUSH, PUSH]
        assert [request.call.args["command"] for request in seen] == [PUSH, "rm -rf build"]
        first, second = it.data("approval/decided")
        assert (first["by"], first["outcome"], first["scope"]) == ("client", "allowed-once", "session")
        assert (second["by"], second["replacement"]) == ("client", "git clean -n")
        assert it.data("approval/asked")[1]["danger"] == seen[1].danger
        assert it.data("permission/rule")[0]["by"] == "client"


@pytest.mark.parametrize(
    "answer",
    [
        Answer("allowed-once", rules=("allow bash",)),  # type: ignore[arg-type]  # as a plugin might
        Answer("allowed-once", scope="world"),  # type: ignore[arg-type]  # as above
        Answer("rejected", replacement=7),  # type: ignore[arg-type]  # as above
    ],
)
async def test_an_answer_that_is_none_lets_nothing_run(answer: Answer) -> None:
    async with open_rules_bench() as it:
        await answered(it, PUSH, answer)
        assert it.ran == []
        assert it.data("approval/decided")[0]["outcome"] == "unavailable"


async def test_a_subagents_question_says_whose_it_is() -> None:
    async with open_rules_bench() as it:
        child = another(it.bench, parent=it.bench.agent, origin="subagent", agentPreset="explore")
        running = asyncio.create_task(child.run(("bash", {"command": PUSH})))
        request = await asked(it)
        assert request.agent == "main agent › explore"
        assert child.logged("approval/asked")[0].data["agent"] == "main agent › explore"
        it.desk.answer(request.id, Answer("rejected"))
        await running


async def test_a_main_agent_is_one_in_the_scope_of_its_project_too() -> None:
    async with open_rules_bench() as it:
        project = object()
        scope = create_scope(it.bench.root, it.bench.agent, parent=project)
        running = asyncio.create_task(it.run(PUSH))
        request = await asked(it)
        assert request.agent == ""
        it.desk.answer(request.id, Answer("rejected"))
        await running
        await scope.dispose()


def test_rules_and_their_texts_are_the_same_thing() -> None:
    assert rules("allow bash(git push *)") == (Rule("allow", "bash", "git push *"),)
