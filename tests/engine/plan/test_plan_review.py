"""The whole product in plan mode, against a server as strict as the provider."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.frozen import thaw
from dsh_tui.engine.modes.mode import Mode
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.verify import verify_log
from tests.fakes.model_script import Reply
from tests.fakes.model_server import ModelServer, reply

PLAN = "exit_plan_mode"
WRITE = ("write", {"file_path": "a.txt", "content": "two\n"})


@dataclass
class Desk:
    """A person with answers ready, in order; what they were asked is kept."""

    answers: list[Answer]
    asked: list[ApprovalRequest] = field(default_factory=list)
    meanwhile: Callable[[], None] | None = None

    async def __call__(self, request: ApprovalRequest, _signal: CancelSignal) -> Answer:
        self.asked.append(request)
        if self.meanwhile is not None:
            self.meanwhile()
        return self.answers.pop(0)


@dataclass(frozen=True)
class Planning:
    """A product with one agent, the server it asks, and the person it asks."""

    product: Product
    server: ModelServer
    agent: Agent
    desk: Desk

    @property
    def mode(self) -> Mode:
        return self.product.engine.root[MODES].current(self.agent.session)

    def switch(self, *modes: Mode) -> None:
        for mode in modes:
            self.product.engine.root[MODES].set(self.agent.session, mode)

    async def ask(self, prompt: str) -> None:
        self.agent.send(prompt)
        await self.agent.when_idle()

    def events(self, kind: str) -> list[Event]:
        return [event for event in self.agent.session.events if event.type == kind]

    def results(self) -> list[str]:
        """The results that the model read, oldest first."""
        messages = self.server.requests[-1].body["messages"]
        return [message["content"] for message in messages if message["role"] == "tool"]

    def said(self, request: int) -> str:
        """All that stood in a request that did not stand in the one before it."""
        before = len(self.server.requests[request - 1].body["messages"])
        return json.dumps(self.server.requests[request].body["messages"][before:])


@asynccontextmanager
async def planning(tmp_path: Path, *replies: Reply, answers: list[Answer]) -> AsyncIterator[Planning]:
    project = tmp_path / "project"
    project.mkdir()
    async with ModelServer(list(replies)) as server:
        environ = {
            "DSH_TUI_HOME": str(tmp_path / "home"),
            "DSH_HOME": str(tmp_path / "none"),
            "DEEPSEEK_BASE_URL": server.url,
            "DEEPSEEK_API_KEY": "sk-x",
        }
        product = await Product.start(StartOptions(cwd=project, environ=environ, invariants=True))
        desk = Desk(answers)
        product.approval.answer_with(product.engine.root, desk)
        agent = product.engine.root[AGENTS].create(CreateAgent(meta={"cwd": str(project)})).agent
        try:
            yield Planning(product, server, agent, desk)
            assert [request.refused for request in server.requests] == [None] * len(server.requests)
            assert verify_log(agent.session.events) is None
        finally:
            await product.dispose()


async def test_a_plan_is_sent_back_with_words_made_better_approved_and_carried_out(tmp_path: Path) -> None:
    answers = [Answer("rejected", "Keep the old name."), Answer("allowed-once"), Answer("allowed-once")]
    async with planning(
        tmp_path,
        reply("Hello."),
        reply("", tool_calls=[(PLAN, {"plan": "# First\n1. rename"})]),
        reply("", tool_calls=[(PLAN, {"plan": "# Second\n1. write a.txt"})]),
        reply("", tool_calls=[WRITE]),
        reply("Done."),
        answers=answers,
    ) as at:
        await at.ask("hi")
        at.switch("edits", "plan")  # as a person does who cycles
        await at.ask("plan it")

        plans, write = at.desk.asked[:2], at.desk.asked[2]
        assert [thaw(asked.preview) for asked in plans] == [
            {"card": "plan", "text": "# First\n1. rename"},
            {"card": "plan", "text": "# Second\n1. write a.txt"},
        ]
        assert all("mode ask" in asked.reason for asked in plans)
        assert write.tool_name == "write"  # asked for as before the plan: `edits` was only passed on the way
        metas = [e.data.get("meta", {}).get("mode") for e in at.events("tool/result")]
        assert metas == [None, "ask", None]
        back, approved, _ = at.results()
        assert "keep planning" in back
        assert back.endswith("They said:\nKeep the old name.")
        assert "approved the plan" in approved
        assert "`ask`" in approved
        assert "Mode: plan." in at.said(1)
        assert "Mode: ask." in at.said(3)
        assert at.mode == "ask"
        assert (at.product.cwd / "a.txt").read_text() == "two\n"


async def test_the_earlier_mode_comes_back(tmp_path: Path) -> None:
    async with planning(
        tmp_path,
        reply("Hello."),
        reply("", tool_calls=[(PLAN, {"plan": "edit"})]),
        reply("", tool_calls=[WRITE]),
        reply("Done."),
        answers=[Answer("allowed-once")],
    ) as at:
        at.switch("edits")
        await at.ask("hi")
        at.switch("plan")
        await at.ask("plan it")
        assert (at.mode, len(at.desk.asked)) == ("edits", 1)
        assert (at.product.cwd / "a.txt").read_text() == "two\n"


async def test_full_access_does_not_come_back_by_itself(tmp_path: Path) -> None:
    async with planning(
        tmp_path,
        reply("Hello."),
        reply("", tool_calls=[(PLAN, {"plan": "edit"})]),
        reply("Done."),
        answers=[Answer("allowed-once")],
    ) as at:
        at.switch("full")
        await at.ask("hi")
        at.switch("plan")
        await at.ask("plan it")
        assert at.mode == "ask"


async def test_calls_beside_the_plan_are_decided_in_plan_mode(tmp_path: Path) -> None:
    async with planning(
        tmp_path,
        reply("", tool_calls=[(PLAN, {"plan": "edit"}), WRITE]),
        reply("I'll do it again."),
        answers=[Answer("allowed-once")],
    ) as at:
        at.switch("plan")
        await at.ask("plan it")
        assert at.results()[1].startswith("Plan mode is on")
        assert not (at.product.cwd / "a.txt").exists()
        assert at.mode == "ask"


async def test_outside_plan_mode_nobody_is_asked(tmp_path: Path) -> None:
    async with planning(
        tmp_path, reply("", tool_calls=[(PLAN, {"plan": "edit"})]), reply("Done."), answers=[]
    ) as at:
        await at.ask("do it")
        assert (at.desk.asked, at.mode) == ([], "ask")
        (result,) = at.results()
        assert result.startswith("Plan mode is off (the mode is `ask`)")


async def test_the_list_of_tools_is_the_same_in_every_mode(tmp_path: Path) -> None:
    replies = [reply("Hello.") for _ in range(4)]
    async with planning(tmp_path, *replies, answers=[]) as at:
        modes: tuple[Mode, ...] = ("ask", "edits", "plan", "full")
        for mode in modes:
            at.switch(mode)
            await at.ask("hi")
        tools = [json.dumps(request.body["tools"]) for request in at.server.requests]
        assert len(set(tools)) == 1
        schema = next(one for one in json.loads(tools[0]) if one["function"]["name"] == PLAN)
        schema["function"]["parameters"]["properties"]["plan"].pop("description")
        assert schema["function"]["parameters"] == {
            "type": "object",
            "properties": {"plan": {"type": "string"}},
            "required": ["plan"],
        }


async def test_an_empty_plan_is_no_question(tmp_path: Path) -> None:
    replies = reply("", tool_calls=[(PLAN, {"plan": " \n"})]), reply("Done.")
    async with planning(tmp_path, *replies, answers=[]) as at:
        at.switch("plan")
        await at.ask("plan it")
        assert (at.desk.asked, at.mode) == ([], "plan")
        assert "the plan is empty" in at.results()[0]


async def test_a_mode_that_a_person_chose_while_the_plan_waited_stays(tmp_path: Path) -> None:
    replies = reply("", tool_calls=[(PLAN, {"plan": "write"})]), reply("Done.")
    async with planning(tmp_path, *replies, answers=[Answer("allowed-once")]) as at:
        at.switch("plan")
        at.desk.meanwhile = lambda: at.switch("edits")
        await at.ask("plan it")
        assert at.mode == "edits"
        assert "the mode is `edits`" in at.results()[0]


async def test_with_nobody_there_planning_stays_on_and_the_call_is_noted(tmp_path: Path) -> None:
    replies = reply("", tool_calls=[(PLAN, {"plan": "write"})]), reply("Done.")
    async with planning(tmp_path, *replies, answers=[]) as at:
        at.switch("plan")
        await at.ask("plan it")
        assert at.mode == "plan"
        (noted,) = at.product.approval.unanswered(at.agent.id)
        assert noted.tool_name == PLAN


async def test_stopping_the_turn_leaves_the_mode_alone(tmp_path: Path) -> None:
    async with planning(tmp_path, reply("", tool_calls=[(PLAN, {"plan": "write"})]), answers=[]) as at:
        at.switch("plan")
        at.desk.meanwhile = at.agent.cancel
        await at.ask("plan it")
        assert at.mode == "plan"
        (decided,) = [event for event in at.agent.session.events if event.type == "approval/decided"]
        assert decided.data["outcome"] == "cancelled"
