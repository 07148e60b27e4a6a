"""Questions of every open session reach the screen, whichever is shown, and are answered there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.bridge.approval_inbox import GONE
from dsh_tui.bridge.bridge import Bridge
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.permission_views import LedgerView
from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView
from tests.fakes.model_server import ModelServer, reply
from tests.fakes.until import until

YES, NO = AnswerIntent(allowed=True), AnswerIntent(allowed=False)


class Desk:
    """A bridge on a whole engine in an empty project, and what it told the person."""

    def __init__(self, product: Product, server: ModelServer, project: Path) -> None:
        self.told: list[str] = []
        self.server, self.product, self.project = server, product, project
        self.bridge = Bridge(
            product, post=lambda _view: None, notify=lambda text, _tone: self.told.append(text)
        )

    async def want(self, *commands: str, prompt: str = "go") -> str:
        """A new session whose model wants to run these commands in one step; its id."""
        await self.bridge.new_session()
        calls = [("bash", {"command": command, "description": "test"}) for command in commands]
        self.server.push(reply(tool_calls=calls))  # what follows is the server's own answer
        session_id = self.bridge.view.session_id
        self.bridge.send(prompt)
        await until(lambda: any(one.session_id == session_id for one in self.waiting))
        return session_id

    @property
    def waiting(self) -> tuple[ApprovalView, ...]:
        return self.bridge.view.approvals

    async def answer(self, answer: AnswerIntent, at: int = 0) -> None:
        """Answer one and wait until it is gone."""
        asked = self.waiting[at].id
        self.bridge.answer(asked, answer)
        await until(lambda: all(one.id != asked for one in self.waiting))

    def made(self) -> set[str]:
        return {path.name for path in self.project.iterdir() if not path.name.startswith(".")}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    async with ModelServer() as server:
        environ = {
            "DSH_TUI_HOME": str(home),
            "DSH_HOME": str(tmp_path / "none"),
            "DEEPSEEK_BASE_URL": server.url,
            "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
            "PATH": "/usr/bin:/bin",
        }
        product = await Product.start(StartOptions(cwd=project, environ=environ, invariants=True))
        made = Desk(product, server, project)
        try:
            yield made
        finally:
            await made.bridge.close()


async def test_several_of_one_answer_come_one_by_one_and_survive_every_detour(desk: Desk) -> None:
    first = await desk.want("touch c1", "touch c2", "touch c3")
    assert [(one.subject, one.place) for one in desk.waiting] == [("touch c1", (1, 3))]
    second = await desk.want("touch c4", prompt="Another thing")
    assert [one.session_id for one in desk.waiting] == [second, first]  # the shown one's come first
    assert [one.session_title for one in desk.waiting] == ["", "go"]
    await desk.bridge.open_session(first)
    assert [one.subject for one in desk.waiting] == ["touch c1", "touch c4"]
    assert desk.waiting[1].session_title == "Another thing"
    await desk.answer(YES)
    await until(lambda: desk.waiting[0].subject == "touch c2")
    assert desk.made() == {"c1"}
    shown = desk.waiting[0]
    await desk.bridge.open_session(second)
    await desk.bridge.open_session(first)
    assert desk.waiting[0] == shown
    await desk.answer(NO)
    await until(lambda: desk.waiting[0].subject == "touch c3")
    await desk.answer(YES)
    await until(lambda: desk.bridge.view.status.state == "idle")
    assert desk.made() == {"c1", "c3"}
    assert [one.subject for one in desk.waiting] == ["touch c4"]


async def test_a_question_in_the_background_is_answered_where_it_is_seen(desk: Desk) -> None:
    await desk.want("touch behind")
    await desk.bridge.new_session()
    (asked,) = desk.waiting
    assert asked.session_title == "go"
    await desk.answer(YES)
    await until(lambda: "behind" in desk.made())
    desk.bridge.answer(asked.id, YES)
    assert desk.told[-1] == GONE


async def test_an_answer_with_a_rule_that_is_none_answers_nothing(desk: Desk) -> None:
    await desk.want("touch never")
    (asked,) = desk.waiting
    desk.bridge.answer(asked.id, AnswerIntent(allowed=True, rules=("allow bash(",), scope="session"))
    assert "is no rule" in desk.told[-1]
    assert desk.waiting == (asked,)


async def test_a_rule_that_is_kept_leaves_a_question_that_it_covers_waiting(desk: Desk) -> None:
    await desk.want("touch same")
    await desk.want("touch same", prompt="Again")
    proposal = await desk.bridge.proposal(desk.waiting[0].id)
    assert proposal.rules
    assert [scope for scope, _words in proposal.scopes] == ["session", "project", "user"]
    await desk.answer(AnswerIntent(allowed=True, rules=proposal.rules, scope="user"))
    await until(lambda: "same" in desk.made())
    assert [one.subject for one in desk.waiting] == ["touch same"]
    await desk.answer(NO)
    rows = await desk.bridge.permissions.rules()
    assert [(row.rule, row.scope) for row in rows] == [(text, "user") for text in proposal.rules]
    assert Rule.parse(rows[0].rule).body in (desk.product.home.settings).read_text()


async def test_a_proposal_shows_earlier_calls_that_its_rules_would_have_covered(desk: Desk) -> None:
    await desk.want("touch same")
    await desk.answer(YES)
    await until(lambda: desk.bridge.view.status.state == "idle")
    await desk.want("touch same", prompt="Again")
    proposal = await desk.bridge.proposal(desk.waiting[0].id)
    assert [line.endswith("touch same") for line in proposal.past] == [True]
    await desk.answer(NO)
    gone = await desk.bridge.proposal("approval-none")
    assert gone.why_not == GONE


async def test_a_call_that_is_stopped_leaves_at_once(desk: Desk) -> None:
    await desk.want("touch never")
    (asked,) = desk.waiting
    desk.bridge.cancel()
    await until(lambda: not desk.waiting)
    desk.bridge.answer(asked.id, AnswerIntent(allowed=True))
    assert desk.told[-1] == GONE
    assert desk.made() == set()


async def test_the_permissions_of_the_shown_session_are_listed_revoked_and_restored(desk: Desk) -> None:
    await desk.want("touch one")
    proposal = await desk.bridge.proposal(desk.waiting[0].id)
    await desk.answer(AnswerIntent(allowed=True, rules=proposal.rules, scope="session"))
    await until(lambda: desk.bridge.view.status.state == "idle")
    port = desk.bridge.permissions
    (row,) = await port.rules()
    assert (row.scope, row.since is not None, row.hits) == ("session", True, None)  # not counted yet
    await port.revoke(row)
    assert list(await port.rules()) == []
    await port.restore(row)
    assert [one.rule for one in await port.rules()] == [row.rule]
    await desk.product.sessions.flush(desk.product.sessions.list()[0])
    views: list[LedgerView] = [view async for view in port.decisions()]
    assert views[-1].done
    assert [one.hits for one in await port.rules()] == [0]
    (decision,) = views[-1].rows
    assert (decision.ended, decision.decider, decision.by) == ("allowed", "person", "user")
    assert decision.session_title == "go"
    run = await port.try_rule(row.rule)
    assert run.summary == "would allow 1 of 1, among them none you refused"
    assert (await port.try_rule("allow bash(")).fault
