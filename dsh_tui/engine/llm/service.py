"""The model service: routes, models, and the one way to stream an answer.

``llm/stream`` wraps every request: a listener may look at it, change what comes back, or answer
itself without calling ``next`` (a replay, a cache). What an adapter raises becomes the one terminal
``finish``; what a listener or the consumer raises is raised. Source: capabilities A2.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from typing import Literal, Protocol

from dsh_tui.engine.base.cancel import Cancelled
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.kernel import Context, ServiceKey, Waterfall
from dsh_tui.engine.kernel.effects import Teardown
from dsh_tui.engine.llm.chunks import Chunk, Failed, Failure, Finish
from dsh_tui.engine.llm.errors import DuplicateAdapterError, LlmError, UnknownProviderError
from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.request import AnyRequest

LLM_STREAM: Waterfall[[AnyRequest], AsyncIterator[Chunk]] = Waterfall("llm/stream")
"""Around every model request: look at it, change what comes back, or answer without ``next``."""

_log = logging.getLogger(__name__)


class Adapter(Protocol):
    """Speaks one provider's wire. One adapter may serve several routes."""

    def stream(self, request: AnyRequest) -> AsyncIterator[Chunk]:
        """The chunks, frozen and in order. Ends with a ``finish``, or raises an `LlmError`."""

    async def list_models(self, provider: str) -> tuple[ModelInfo, ...]: ...

    def resolve_model(self, provider: str, model: str) -> ModelInfo:
        """What is known of a model; ids that nobody listed pass too."""


class AdapterRegistration:
    """An adapter's routes. Call it to take them away; it goes with the plugin that made it, too."""

    def __init__(self, replace: Callable[[Iterable[str]], None], dispose: Callable[[], Teardown]) -> None:
        self.replace = replace
        """Serve these routes instead, all or none. Raises `DuplicateAdapterError`."""
        self._dispose = dispose

    def __call__(self) -> Teardown:
        return self._dispose()


class LlmService:
    """Knows the adapters. Requests under way keep the adapter they began with."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._adapters: dict[str, Adapter] = {}

    def register_adapter(self, ctx: Context, routes: Iterable[str], adapter: Adapter) -> AdapterRegistration:
        """Serve these routes for as long as the caller's fiber lives.

        Raises:
            DuplicateAdapterError: a route is taken; nothing was registered.
        """
        owned: set[str] = set()

        def replace(wanted: Iterable[str]) -> None:
            names = tuple(dict.fromkeys(wanted))
            taken = [name for name in names if name in self._adapters and name not in owned]
            if taken:
                raise DuplicateAdapterError(f"another adapter already serves {', '.join(taken)}")
            remove()
            owned.update(names)
            self._adapters.update(dict.fromkeys(names, adapter))

        def remove() -> None:
            for name in owned:
                del self._adapters[name]
            owned.clear()

        def body() -> Callable[[], None]:
            replace(routes)
            return remove

        return AdapterRegistration(replace, ctx.effect(body))

    def list_providers(self) -> tuple[str, ...]:
        """The routes, in the order of registration."""
        return tuple(self._adapters)

    async def list_models(self, provider: str) -> tuple[ModelInfo, ...]:
        """The models that a provider names. A suggestion: others can be asked for as well.

        Raises:
            UnknownProviderError: no adapter serves it.
        """
        return await self._adapter(provider).list_models(provider)

    def resolve_model(self, provider: str, model: str) -> ModelInfo:
        """What is known of a model.

        Raises:
            UnknownProviderError: no adapter serves the provider.
        """
        return self._adapter(provider).resolve_model(provider, model)

    def context_window(self, provider: str, model: str) -> int | None:
        """How many tokens a model takes; None where that, or the provider, is not known."""
        adapter = self._adapters.get(provider)
        return None if adapter is None else adapter.resolve_model(provider, model).context_window

    async def stream(self, request: AnyRequest) -> AsyncGenerator[Chunk, None]:
        """The answer, chunk by chunk, with a ``finish`` as the last.

        Close it when you stop early (``contextlib.aclosing``): that ends the request.
        """

        async def innermost() -> AsyncIterator[Chunk]:
            return self._from_adapter(request)

        chunks = await self._ctx.waterfall(LLM_STREAM, innermost, request)
        finished = False
        try:
            # To the end, not to the finish: an adapter tidies its connection up after it.
            async for chunk in chunks:
                if not finished:
                    yield chunk
                finished = finished or chunk["type"] == "finish"
        finally:
            await close_chunks(chunks)

    async def _from_adapter(self, request: AnyRequest) -> AsyncGenerator[Chunk, None]:
        """The adapter's chunks; however it ends, the last one is a ``finish``."""
        chunks: AsyncIterator[Chunk] | None = None
        finished = False
        try:
            request.signal.check()
            adapter = self._adapter(request.config["provider"])
            request.departure.left = True  # as far as is known; an adapter may know better
            chunks = adapter.stream(request)
            # Not `async for`: only what the adapter raises is caught, never what is thrown in here.
            while True:
                try:
                    chunk = await anext(chunks)
                except StopAsyncIteration:
                    error: Exception = LlmError("the adapter ended without a finish", code="STREAM_CLOSED")
                    break
                if not finished:
                    yield chunk
                finished = finished or chunk["type"] == "finish"
        except Exception as raised:  # noqa: BLE001  # whatever an adapter raises is this request's failure
            error = raised
        finally:
            if chunks is not None:
                await close_chunks(chunks)
        if not finished:
            yield _terminal(error, request)

    def _adapter(self, provider: str) -> Adapter:
        adapter = self._adapters.get(provider)
        if adapter is None:
            known = ", ".join(self._adapters) or "none"
            raise UnknownProviderError(f"no provider is called {provider!r}; there is: {known}")
        return adapter


LLM: ServiceKey[LlmService] = ServiceKey("llm")


def _terminal(error: Exception, request: AnyRequest) -> Chunk:
    kind: Literal["aborted", "error"] = "error"
    if isinstance(error, Cancelled):
        kind, failure = "aborted", Failure(message=error.message or "cancelled", code=error.code)
    elif isinstance(error, LlmError):
        failure = error.failure()
    elif isinstance(error, HarnessError):
        failure = Failure(message=error.message, code=error.code)
    else:
        _log.error("an adapter failed", exc_info=error)
        failure = Failure(message=f"the provider's adapter failed: {error_chain(error)}", code="ADAPTER")
    if not request.departure.left:
        failure = {**failure, "unsent": True}
    return freeze(Finish(type="finish", reason=Failed(kind=kind, failure=failure)))


async def close_chunks(chunks: AsyncIterator[Chunk]) -> None:
    """End a stream early, or make sure that it has ended."""
    if isinstance(chunks, AsyncGenerator):
        await chunks.aclose()
