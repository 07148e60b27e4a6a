"""A model adapter that answers from a script, chunk by chunk, with gates to hold it anywhere.

A reply is a list of steps: a chunk is yielded, a `Gate` is waited at, an exception is raised, and a
function is called. Without a script it says "Ok.". Every request is kept as it came.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeAlias, cast

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.chunks import Chunk, Failure
from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.request import AnyRequest


class Gate:
    """Holds a reply: wait for `reached`, then `open` it."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()

    async def reached(self) -> None:
        """Return once the reply stands at the gate."""
        await asyncio.wait_for(self._reached.wait(), 5)

    def open(self) -> None:
        self._opened.set()

    async def pass_through(self) -> None:
        self._reached.set()
        await self._opened.wait()


Step: TypeAlias = "Chunk | Gate | BaseException | Callable[[], object]"
ScriptedReply: TypeAlias = Sequence[Step]


class ScriptedProvider:
    """Serves the routes it is registered for; ``requests`` are those it was asked, in order."""

    def __init__(self, *replies: ScriptedReply) -> None:
        self.replies: deque[ScriptedReply] = deque(replies)
        self.requests: list[AnyRequest] = []
        self.window = 1_000
        """Tokens that its models are said to take."""
        self.left_early = 0
        """Replies that were stopped before their end."""

    def will_say(self, *replies: ScriptedReply) -> None:
        self.replies.extend(replies)

    async def list_models(self, provider: str) -> tuple[ModelInfo, ...]:
        return (self.resolve_model(provider, "model-a"),)

    def resolve_model(self, provider: str, model: str) -> ModelInfo:
        return ModelInfo(id=model, provider=provider, context_window=self.window)

    async def stream(self, request: AnyRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        reply = self.replies.popleft() if self.replies else text("Ok.")
        try:
            for step in reply:
                if isinstance(step, Gate):
                    await step.pass_through()
                elif isinstance(step, BaseException):
                    raise step
                elif callable(step):
                    step()
                else:
                    yield step
        except (asyncio.CancelledError, GeneratorExit):
            self.left_early += 1
            raise


def chunk(**fields: object) -> Chunk:
    """One frozen chunk."""
    return cast("Chunk", freeze(dict(fields)))


def delta(words: str, index: int = 0) -> Chunk:
    return chunk(type="text-delta", index=index, text=words)


def thought(words: str, index: int = 0) -> Chunk:
    return chunk(type="reasoning-delta", index=index, text=words)


def usage(tokens: int = 3) -> Chunk:
    return chunk(type="usage", usage={"inputTokens": tokens, "outputTokens": tokens})


def finish(kind: str = "stop") -> Chunk:
    return chunk(type="finish", reason={"kind": kind})


def broken(code: str = "SERVER", message: str = "the server is on fire", *, kind: str = "error") -> Chunk:
    """A terminal chunk without an answer."""
    return chunk(type="finish", reason={"kind": kind, "failure": Failure(message=message, code=code)})


def text(words: str, *, kind: str = "stop") -> list[Chunk]:
    """A whole answer in words."""
    return [
        chunk(type="block-start", index=0, blockType="text"),
        *(delta(piece) for piece in words.split(" ") if piece),
        chunk(type="block-end", index=0, block={"type": "text", "text": words}),
        usage(),
        finish(kind),
    ]


def call(call_id: str, name: str, arguments: str = "{}", index: int = 0) -> list[Chunk]:
    """The chunks of one tool call."""
    block = {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}
    return [
        chunk(type="block-start", index=index, blockType="tool-call"),
        chunk(type="tool-call-delta", index=index, id=call_id, name=name, argumentsDelta=arguments),
        chunk(type="block-end", index=index, block=block),
    ]


def calls(*wanted: tuple[str, str], kind: str = "tool-calls", words: str = "") -> list[Chunk]:
    """An answer that asks for these ``(id, tool)`` calls, perhaps after some words."""
    said = [chunk(type="block-end", index=0, block={"type": "text", "text": words})] if words else []
    made = [
        one for index, (call_id, name) in enumerate(wanted) for one in call(call_id, name, index=index + 1)
    ]
    return [*said, *made, usage(), finish(kind)]
