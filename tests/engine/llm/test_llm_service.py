"""The model service: routes, the waterfall around every stream, and exactly one finish."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from dsh_tui.engine.base.cancel import Cancelled
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm import plugin as llm_plugin
from dsh_tui.engine.llm.chunks import Chunk, Finish, Stop, TextDelta
from dsh_tui.engine.llm.errors import DuplicateAdapterError, LlmError, UnknownProviderError
from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.request import AnyRequest
from dsh_tui.engine.llm.service import LLM, LLM_STREAM, LlmService
from tests.fakes.llm_rig import answer
from tests.fakes.requests import request

FINISH: Chunk = freeze(Finish(type="finish", reason=Stop(kind="stop")))


def text(piece: str) -> Chunk:
    return freeze(TextDelta(type="text-delta", index=0, text=piece))


class Canned:
    """An adapter that yields what it was given, and raises what is an exception."""

    def __init__(self, *steps: Chunk | BaseException) -> None:
        self.steps = steps
        self.closed = 0

    async def stream(self, _request: AnyRequest) -> AsyncIterator[Chunk]:
        try:
            for step in self.steps:
                if isinstance(step, BaseException):
                    raise step
                yield step
        finally:
            self.closed += 1

    async def list_models(self, provider: str) -> tuple[ModelInfo, ...]:
        return (self.resolve_model(provider, "canned"),)

    def resolve_model(self, provider: str, model: str) -> ModelInfo:
        return ModelInfo(id=model, provider=provider, context_window=7)


@pytest.fixture
async def llm(root: Context) -> LlmService:
    await root.plugin(llm_plugin)
    return root[LLM]


@pytest.mark.parametrize(
    ("raised", "kind", "code"),
    [
        (LlmError("slow", code="RATE_LIMIT", status=429, retry_after_ms=9), "error", "RATE_LIMIT"),
        (HarnessError("bad file", code="INVALID_CREDENTIAL"), "error", "INVALID_CREDENTIAL"),
        (Cancelled("stop"), "aborted", "ABORTED"),
        (ValueError("bug"), "error", "ADAPTER"),
        (StopAsyncIteration(), "error", "ADAPTER"),
    ],
)
async def test_what_an_adapter_raises_is_the_one_finish(
    root: Context, llm: LlmService, raised: Exception, kind: str, code: str
) -> None:
    llm.register_adapter(root, ["deepseek"], Canned(text("a"), raised))
    got = await answer(llm, request())
    assert (got.kind, got.failure["code"], got.text()) == (kind, code, "a")


async def test_a_failure_keeps_all_that_is_known_of_it(root: Context, llm: LlmService) -> None:
    error = LlmError("slow", code="RATE_LIMIT", status=429, retry_after_ms=9, request_id="r")
    llm.register_adapter(root, ["deepseek"], Canned(error))
    assert (await answer(llm, request())).failure == {
        "message": "slow",
        "code": "RATE_LIMIT",
        "status": 429,
        "providerRetryAfterMs": 9,
        "requestId": "r",
    }


async def test_a_stream_without_a_finish_gets_one_and_nothing_follows_a_finish(
    root: Context, llm: LlmService
) -> None:
    registration = llm.register_adapter(root, ["deepseek"], Canned(text("a")))
    assert (await answer(llm, request())).failure["code"] == "STREAM_CLOSED"
    await registration()
    llm.register_adapter(root, ["deepseek"], Canned(text("a"), FINISH, text("late"), ValueError("late")))
    assert (await answer(llm, request())).chunks == (text("a"), FINISH)


async def test_an_unknown_provider_is_a_failure_that_names_the_known_ones(
    root: Context, llm: LlmService
) -> None:
    llm.register_adapter(root, ["other"], Canned())
    failure = (await answer(llm, request())).failure
    assert failure["code"] == "UNKNOWN_PROVIDER"
    assert "other" in failure["message"]
    assert llm.context_window("deepseek", "x") is None
    with pytest.raises(UnknownProviderError):
        llm.resolve_model("deepseek", "x")
    with pytest.raises(UnknownProviderError):
        await llm.list_models("deepseek")


async def test_a_listener_may_change_the_stream_or_answer_alone(root: Context, llm: LlmService) -> None:
    adapter = Canned(text("a"), FINISH)
    llm.register_adapter(root, ["deepseek"], adapter)

    async def shout(_request: AnyRequest, following: Next[AsyncIterator[Chunk]]) -> AsyncIterator[Chunk]:
        inner = await following()

        async def louder() -> AsyncIterator[Chunk]:
            async for chunk in inner:
                yield text(chunk["text"].upper()) if chunk["type"] == "text-delta" else chunk

        return louder()

    async def replay(_request: AnyRequest, _following: Next[AsyncIterator[Chunk]]) -> AsyncIterator[Chunk]:
        return Canned(text("recorded"), FINISH).stream(_request)

    root.on(LLM_STREAM, shout)
    assert (await answer(llm, request())).text() == "A"
    root.on(LLM_STREAM, replay, prepend=True)
    assert (await answer(llm, request())).text() == "recorded"
    assert adapter.closed == 1


async def test_what_listeners_and_consumers_raise_is_raised(root: Context, llm: LlmService) -> None:
    adapter = Canned(text("a"), FINISH)
    llm.register_adapter(root, ["deepseek"], adapter)

    async def consume() -> None:
        async with aclosing(llm.stream(request())) as chunks:
            async for _chunk in chunks:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await consume()
    assert adapter.closed == 1

    async def broken(_request: AnyRequest, _following: Next[AsyncIterator[Chunk]]) -> AsyncIterator[Chunk]:
        raise ZeroDivisionError

    root.on(LLM_STREAM, broken)
    with pytest.raises(ZeroDivisionError):
        await answer(llm, request())


async def test_routes_are_taken_all_or_none_and_can_be_replaced(root: Context, llm: LlmService) -> None:
    first = llm.register_adapter(root, ["a", "b"], Canned())
    with pytest.raises(DuplicateAdapterError, match="b"):
        llm.register_adapter(root, ["c", "b"], Canned())
    assert llm.list_providers() == ("a", "b")
    second = llm.register_adapter(root, ["c"], Canned())
    with pytest.raises(DuplicateAdapterError, match="a"):
        second.replace(["d", "a"])
    assert llm.list_providers() == ("a", "b", "c")
    first.replace(["b", "e"])
    assert set(llm.list_providers()) == {"b", "c", "e"}
    await first()
    assert llm.list_providers() == ("c",)


async def test_an_adapter_goes_with_the_plugin_that_registered_it(root: Context, llm: LlmService) -> None:
    for _ in range(2):

        def apply(ctx: Context, _config: object) -> None:
            ctx.root[LLM].register_adapter(ctx, ["deepseek"], Canned(FINISH))

        fiber = root.plugin(apply)
        await fiber
        assert (await answer(llm, request())).kind == "stop"
        assert [model.id for model in await llm.list_models("deepseek")] == ["canned"]
        await fiber.dispose()
        assert llm.list_providers() == ()
