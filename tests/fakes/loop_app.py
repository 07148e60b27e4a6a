"""A whole engine around a scripted model: real store, prompt, tools, registry and loop; no files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from dsh_tui.engine.agent import plugin as agents_plugin
from dsh_tui.engine.agent.agent import Agent, AgentHandle, AgentOptions
from dsh_tui.engine.agent.registry import AGENTS, AgentRegistry, CreateAgent
from dsh_tui.engine.invariants import plugin as invariants_plugin
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm import plugin as llm_plugin
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.request import AnyRequest
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.loop import plugin as loop_plugin
from dsh_tui.engine.loop.rebuild import RebuiltRequest, rebuild_requests
from dsh_tui.engine.session import plugin as sessions_plugin
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS, SessionStore
from dsh_tui.engine.system_prompt import plugin as system_prompt_plugin
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import Section
from dsh_tui.engine.tools import plugin as tools_plugin
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.fake_clock import FakeClock
from tests.fakes.scripted_provider import ScriptedProvider

OPTIONS = AgentOptions(provider="scripted", model="model-a")


class NoArgs(BaseModel):
    """Takes nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LoopApp:
    """What a test of the loop talks to."""

    def __init__(self, root: Context, clock: FakeClock) -> None:
        self.root = root
        self.clock = clock
        self.provider = ScriptedProvider()

    async def start(self) -> None:
        root = self.root
        await root.plugin(sessions_plugin, self.clock)
        await root.plugin(invariants_plugin)
        for plugin in (system_prompt_plugin, tools_plugin, llm_plugin, agents_plugin):
            await root.plugin(plugin)
        self.loop_fiber = root.plugin(loop_plugin)
        await self.loop_fiber
        root[LLM].register_adapter(root, ("scripted", "other"), self.provider)
        root[SYSTEM_PROMPT].section(root, Section("identity", -100, "You are a test."))

    @property
    def agents(self) -> AgentRegistry:
        return self.root[AGENTS]

    @property
    def sessions(self) -> SessionStore:
        return self.root[SESSIONS]

    def create(
        self, session_id: str | None = None, *, options: AgentOptions = OPTIONS, **more: Any
    ) -> AgentHandle:
        return self.agents.create(CreateAgent(session_id=session_id, options=options, **more))

    def add_tool(
        self, name: str, body: Callable[[ToolCall], Awaitable[ToolOutput]], ctx: Context | None = None
    ) -> None:
        async def execute(_args: NoArgs, call: ToolCall) -> ToolOutput:
            return await body(call)

        definition = ToolDefinition(
            name=name, description=f"The {name}.", parameters=NoArgs, execute=execute, kind="other"
        )
        self.root[TOOLS].register(ctx or self.root, definition)


async def settle() -> None:
    """Let everything that can run do so."""
    for _ in range(50):
        await asyncio.sleep(0)


async def ask(agent: Agent, *prompts: str) -> None:
    for prompt in prompts:
        agent.send(prompt)
        await agent.when_idle()


def headers(session: Session) -> list[str]:
    return [
        event.data.get("reason", "delta")
        for event in session.events
        if event.type.startswith("request/header")
    ]


def outline(events: Sequence[Event]) -> list[str]:
    """The log in short: types, with what tells them apart; chunks are left out."""
    return [_short(event) for event in events if event.type != "assistant/chunk"]


def types(session: Session) -> list[str]:
    return [event.type for event in session.events if event.type != "assistant/chunk"]


def endings(session: Session) -> list[str]:
    """The kinds of all ``turn/end``."""
    return [event.data["reason"]["kind"] for event in session.events if event.type == "turn/end"]


def last(session: Session, tag: str) -> Any:  # Any: data of the event
    return next(event.data for event in reversed(session.events) if event.type == tag)


def dialogue(request: AnyRequest | RebuiltRequest) -> list[str]:
    """The messages of a request as ``role: text``, calls and results shown by their ids."""
    lines = []
    for message in request.messages:
        parts = [text_of(message["content"])]
        parts += [f"call {block['id']}" for block in message["content"] if block["type"] == "tool-call"]
        parts += [
            f"result {block['toolCallId']}" for block in message["content"] if block["type"] == "tool-result"
        ]
        lines.append(f"{message['role']}: {' '.join(part for part in parts if part)}")
    return lines


def assert_accepted(request: AnyRequest | RebuiltRequest) -> None:
    """What a strict provider demands: each call is answered once, in order, directly behind it."""
    waiting: list[str] = []
    for message in request.messages:
        results = [block for block in message["content"] if block["type"] == "tool-result"]
        for block in results:
            assert waiting, f"a result without a call: {block}"
            assert block["toolCallId"] == waiting.pop(0)
        if not results:
            assert not waiting, f"unanswered calls: {waiting}"
            waiting = [block["id"] for block in message["content"] if block["type"] == "tool-call"]
            assert message["content"], "an empty message"
    assert not waiting
    assert request.messages[-1]["role"] == "user"


def assert_rebuilds(app: LoopApp, session: Session) -> None:
    """The theorem: each request that left equals the one rebuilt from the log alone; and is valid."""
    sent = [request for request in app.provider.requests if request.session_id == session.id]
    rebuilt = rebuild_requests(session.events)
    assert len(rebuilt) == len(sent)
    for ours, theirs in zip(rebuilt, sent, strict=True):
        assert (ours.system, ours.tools, ours.config, ours.messages) == (
            theirs.system,
            theirs.tools,
            theirs.config,
            theirs.messages,
        )
        assert_accepted(theirs)


def _short(event: Event) -> str:
    data = event.data
    match event.type:
        case "turn/start":
            return f"turn/start {data['turn']} {data['trigger']['kind']}"
        case "turn/end":
            return f"turn/end {data['turn']} {data['reason']['kind']}"
        case "step/start" | "step/end":
            return f"{event.type} {data['step']}"
        case "user/message" | "context/message" | "steering/message" | "assistant/message" | "prompt/blocked":
            return f"{event.type} {text_of(data['content'])}".rstrip()
        case "tool/call" | "tool/result":
            return f"{event.type} {data['callId']}"
        case "request/header":
            return f"request/header {data['reason']}"
        case _:
            return event.type
