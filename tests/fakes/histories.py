"""Histories: what may happen to sessions of the product, as data, and the product that lives through them.

Everything between the person and the wire is real: boot, loop, tools, files, adapter, HTTP. Only the
model is a script. For the theorem that each request follows from its log alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from dsh_tui.engine.agent.agent import Agent, AgentHandle, AgentOptions, QueuedMessage
from dsh_tui.engine.agent.decisions import (
    BlockPrompt,
    PromptDecision,
    RequestErrorDecision,
    Retry,
    RetryStep,
)
from dsh_tui.engine.agent.events import (
    AGENT_PRE_STEP,
    AGENT_PROMPT_SUBMIT,
    AGENT_REQUEST_ERROR,
    PreStep,
    RequestFailure,
)
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent, ResumeAgent
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.product import Product
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import Section
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.model_script import Answer
from tests.fakes.model_server import ModelServer, drop, eof_without_done, raw, reply, reset, stall, status

TEST = plugin_source("test")
BLOCKED = "forbidden"
GREETING = "wörk 修复 \x1b[31m\u2028 \U0001f600"

ACTIONS = (
    *("send", "send", "send", "burst", "inject", "blocked", "model", "effort", "section", "tool"),
    *("replace", "stop", "flash", "flash", "resume", "fork"),
)


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that happens, and what the model says to it."""

    action: str
    answers: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    """What is decided about failed requests: ``again``, ``step`` or ``give-up``."""


@dataclass
class Lived:
    """A session that went through something, and the bodies that its log must give back."""

    session_id: str
    bodies: list[bytes] = field(default_factory=list)


class _NoArgs(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Life:
    """Lives histories through, one after the other, in one running product."""

    def __init__(self, product: Product, server: ModelServer, project: Path) -> None:
        self._product, self._server, self._project = product, server, project
        self._root: Context = product.engine.root
        self._decisions: deque[str] = deque()
        self._replace = False
        self._extra: dict[str, Any] = {}  # Any: fibers of what is reloaded
        self._root.on(AGENT_REQUEST_ERROR, self._decide, prepend=True, everywhere=True)
        self._root.on(AGENT_PROMPT_SUBMIT, self._submit, everywhere=True)
        self._root.on(AGENT_PRE_STEP, self._pre_step, everywhere=True)
        self._add_tool(self._root, "work", safe=True)

    async def live(self, moves: Sequence[Move]) -> list[Lived]:
        """All sessions that the history made."""
        handle = self._create()
        lived = [Lived(handle.agent.id)]
        for number, move in enumerate(moves):
            if move.action in ("resume", "fork") and not handle.agent.session.last_turn:
                continue  # nothing of it is stored yet
            self._server.script.clear()
            self._server.push(*(_ANSWERS[kind] for kind in move.answers))
            self._decisions = deque(move.decisions)
            first = len(self._server.requests)
            new = await self._act(handle, move.action, number)
            if new is not None:
                same = new.agent.id == lived[-1].session_id
                if not same:
                    lived.append(Lived(new.agent.id, list(lived[-1].bodies)))
                handle = new
            await handle.agent.when_idle()
            lived[-1].bodies += [request.raw for request in self._server.requests[first:]]
        await handle.dispose()
        return lived

    async def _act(self, handle: AgentHandle, action: str, number: int) -> AgentHandle | None:
        agent = handle.agent
        match action:
            case "inject":
                agent.inject(f"note {number}", source=TEST)
            case "blocked":
                agent.send(BLOCKED)
            case "burst":
                agent.send("one of two")
                agent.send(f"two of two: {GREETING}")
                agent.steer("and this")
            case "model":
                agent.select_model("deepseek", ("deepseek-flash", "deepseek-v4-pro")[number % 2])
                agent.send("other model")
            case "effort":
                agent.select_model("deepseek", "deepseek-flash", ("off", "low", "max")[number % 3])
                agent.send("other effort")
            case "section" | "tool":
                await self._reload(action)
                agent.send(f"after a reload of {action}")
            case "replace":
                self._replace = True
                agent.send("shorter, please")
            case "stop":
                await self._stop(agent)
            case "flash":
                await self._stop_early(agent, number)
            case "resume":
                await handle.dispose()
                return await self._root[AGENTS].resume(
                    ResumeAgent(session_id=agent.id, options=self._product.agent_options)
                )
            case "fork":
                return await self._fork(handle)
            case _:
                agent.send(f"prompt {number}")
        return None

    def _create(self, **more: Any) -> AgentHandle:  # Any: fields of CreateAgent
        more.setdefault("meta", {"cwd": str(self._project)})
        return self._root[AGENTS].create(CreateAgent(options=AgentOptions(), **more))

    async def _fork(self, handle: AgentHandle) -> AgentHandle:
        session = handle.agent.session
        await handle.dispose()
        stored = await asyncio.to_thread(self._root[PERSISTENCE].inspect, session.id)
        meta, seed = self._product.fork(stored, None)
        return self._create(meta=meta, seed=seed)

    async def _stop(self, agent: Agent) -> None:
        """Esc while the model is silent."""
        self._server.script.clear()
        self._server.push(stall("Well"))
        count = len(self._server.requests)
        agent.send("never mind")
        await self._server.wait_for_requests(count + 1)
        agent.cancel()

    async def _stop_early(self, agent: Agent, number: int) -> None:
        """Esc at once: somewhere on the way of the request to the wire."""
        agent.send("no, wait")
        for _ in range(3 * number):
            await asyncio.sleep(0)
        agent.cancel()
        await agent.when_idle()
        await asyncio.sleep(0.02)  # what is on the wire arrives

    async def _reload(self, what: str) -> None:
        """A plugin that adds a section or a tool comes, or goes if it is there."""
        if what in self._extra:
            await self._extra.pop(what).dispose()
            return
        fiber = self._extra[what] = self._root.fork(what)
        if what == "tool":
            self._add_tool(fiber.ctx, "extra", safe=False)
        else:
            self._root[SYSTEM_PROMPT].section(fiber.ctx, Section("extra", 50, "Be brief.\nBe kind."))

    def _add_tool(self, ctx: Context, name: str, *, safe: bool) -> None:
        async def execute(_args: _NoArgs, call: ToolCall) -> ToolOutput:
            if "steer" in call.arguments:
                call.agent.steer("look here first")
                call.agent.inject("from the tool", source=TEST)
            if "cancel" in call.arguments:
                call.agent.cancel()
            return ToolOutput(f"{name}: {GREETING}")

        definition = ToolDefinition(
            name=name,
            description=f"The {name}.",
            parameters=_NoArgs,
            execute=execute,
            kind="read",
            changes=False,
            is_concurrency_safe=lambda _args: safe,
            inside_workspace=lambda _args, _call: True,
        )
        self._root[TOOLS].register(ctx, definition)

    async def _decide(
        self, _agent: Agent, _failed: RequestFailure, _next: Next[RequestErrorDecision]
    ) -> RequestErrorDecision:
        decision = self._decisions.popleft() if self._decisions else "give-up"
        if decision == "again":
            return Retry()
        return RetryStep() if decision == "step" else None

    async def _submit(
        self, _agent: Agent, prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        texts = [block["text"] for block in prompt.content if block["type"] == "text"]
        return BlockPrompt("not allowed") if texts == [BLOCKED] else await following()

    async def _pre_step(self, agent: Agent, _upcoming: PreStep) -> None:
        """Put one message in the place of the older half of what the model sees."""
        nodes = agent.session.surface
        if not self._replace or len(nodes) < 2:
            return
        self._replace = False
        end = max(0, len(nodes) // 2 - 1)
        data = {"id": f"sum-{len(agent.session.events)}", "source": TEST}
        agent.session.append(
            "context/message",
            {**data, "content": [{"type": "text", "text": "What was said before, in short."}]},
            surface={"op": "replace", "start": 0, "end": end},
            sources=[node.seq for node in nodes[: end + 1]],
        )


_SURROGATE = (
    b'data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"half \\ud83d"}}]}\n\n'
    b'data: {"id":"1","choices":[{"index":0,"delta":{"content":" and on"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)

_ANSWERS: Mapping[str, Answer] = {
    "text": reply("All is well."),
    "thinking": reply("So.", thinking="Hm, 嗯."),
    "one-call": reply("", thinking="Try.", tool_calls=[("work", {"n": 1})]),
    "calls": reply("On it.", tool_calls=[("work", {"n": 1}), ("work", {}), ("extra", {"n": 3})]),
    "bad-call": reply("", tool_calls=[("work", "not json"), ("no such tool!", {"a": 1})]),
    "steering": reply("", tool_calls=[("work", {"steer": True}), ("work", {})]),
    "cancelling": reply("Wait.", tool_calls=[("work", {"cancel": True}), ("extra", {})]),
    "cut": reset("Half"),
    "eof": eof_without_done("Fine"),
    "fail": status(500, "busy"),
    "broken": raw(b"data: {nonsense}\n\n"),
    "silent": drop(),
    "length": reply("Too long", tool_calls=[("work", {})], finish="length"),
    "surrogate": raw(_SURROGATE),
}
ANSWERS = tuple(_ANSWERS)


def unexplained(bodies: Sequence[Mapping[str, Any]]) -> Iterator[int]:  # Any: JSON of requests
    """Numbers of requests that do not extend the one before, message by message."""
    for number in range(1, len(bodies)):
        before, after = bodies[number - 1], bodies[number]
        if after["messages"][: len(before["messages"])] != before["messages"]:
            yield number
