"""A model service with the DeepSeek adapter in front of a scripted server, and ways to read answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.llm import plugin as llm_plugin
from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.chunks import Chunk, Failure
from dsh_tui.engine.llm.deepseek import plugin as deepseek_plugin
from dsh_tui.engine.llm.deepseek.adapter import KeyResolver
from dsh_tui.engine.llm.deepseek.plugin import DeepSeekConfig
from dsh_tui.engine.llm.request import AnyRequest
from dsh_tui.engine.llm.service import LLM, LlmService

KEY = "sk-0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    chunks: tuple[Chunk, ...]
    assembler: Assembler

    @property
    def kind(self) -> str:
        finish = self.assembler.finish
        assert finish is not None
        return finish["kind"]

    @property
    def failure(self) -> Failure:
        finish = self.assembler.finish
        assert finish is not None
        assert finish["kind"] in ("error", "aborted"), finish
        return finish["failure"]

    def text(self, kind: str = "text") -> str:
        """The text of all deltas of a kind, also of those that no block kept."""
        return "".join(chunk["text"] for chunk in self.chunks if chunk["type"] == f"{kind}-delta")  # type: ignore[typeddict-item]


@asynccontextmanager
async def deepseek(
    url: str, *, api_key: KeyResolver = lambda: KEY, idle_s: float = 300, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[LlmService]:
    """The service, with the adapter on the route ``deepseek``."""
    root = create_root()
    await root.plugin(llm_plugin)
    await root.plugin(
        deepseek_plugin, DeepSeekConfig(base_url=url, api_key=api_key, idle_s=idle_s, clock=clock)
    )
    try:
        yield root[LLM]
    finally:
        await root.fiber.dispose()


async def answer(llm: LlmService, request: AnyRequest) -> Answer:
    """Stream to the end."""
    assembler = Assembler()
    chunks: list[Chunk] = []
    async with aclosing(llm.stream(request)) as stream:
        async for chunk in stream:
            chunks.append(chunk)
            assembler.add(chunk)
    assert [chunk["type"] for chunk in chunks].count("finish") == 1
    assert chunks[-1]["type"] == "finish"
    return Answer(tuple(chunks), assembler)
