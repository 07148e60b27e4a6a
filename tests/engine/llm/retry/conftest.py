"""A whole engine whose model is the scripted server, with retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from dsh_tui.engine.agent.agent import Agent, AgentOptions
from dsh_tui.engine.kernel import Context, Fiber
from dsh_tui.engine.llm.deepseek import plugin as deepseek_plugin
from dsh_tui.engine.llm.deepseek.plugin import DeepSeekConfig
from dsh_tui.engine.llm.retry import plugin as retry_plugin
from dsh_tui.engine.llm.retry.plugin import RetryConfig
from dsh_tui.engine.llm.retry.policy import RetryPolicy
from dsh_tui.engine.session.event import Event
from tests.fakes.fake_clock import FakeClock
from tests.fakes.llm_rig import KEY
from tests.fakes.loop_app import LoopApp
from tests.fakes.model_server import ModelServer


@dataclass
class RetryApp:
    """An agent of a running engine; only the waits between attempts follow the fake clock."""

    agent: Agent
    server: ModelServer
    clock: FakeClock
    plugin: Fiber

    def events(self, kind: str) -> list[Event]:
        return [event for event in self.agent.session.events if event.type == kind]

    @property
    def waits_s(self) -> list[float]:
        return [event.data["delayMs"] / 1000 for event in self.events("llm/retry")]

    async def run(self, prompt: str = "hi") -> dict[str, object]:
        """Send a prompt and pass all waits; the reason of the turn's end."""
        self.agent.send(prompt)
        idle = asyncio.create_task(self.agent.when_idle())
        while not idle.done():
            await self.clock.advance(0.25)
        await idle
        reason: dict[str, object] = self.events("turn/end")[-1].data["reason"]
        return reason


@pytest.fixture
async def retrying(root: Context, clock: FakeClock) -> AsyncIterator[RetryApp]:
    app = LoopApp(root, clock)
    await app.start()
    async with ModelServer() as server:
        await root.plugin(deepseek_plugin, DeepSeekConfig(api_key=lambda: KEY, base_url=server.url))
        policy = RetryPolicy(random=lambda: 0.5)
        fiber = root.plugin(retry_plugin, RetryConfig(policy=policy, clock=clock))
        await fiber
        agent = app.create(options=AgentOptions(provider="deepseek", model="deepseek-flash")).agent
        yield RetryApp(agent, server, clock, fiber)
        await root.fiber.dispose()
