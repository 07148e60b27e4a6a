"""The adapter against the scripted server: answers, failures, waiting, cancelling, and the key."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from contextlib import aclosing

import pytest

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.llm.deepseek.wire import body_bytes
from tests.fakes.fake_clock import FakeClock
from tests.fakes.llm_rig import KEY, answer, deepseek
from tests.fakes.model_script import Answer as Scripted
from tests.fakes.model_script import Reply, markdown
from tests.fakes.model_server import (
    ModelServer,
    drop,
    eof_without_done,
    hold,
    raw,
    reply,
    reset,
    stall,
    status,
)
from tests.fakes.requests import BASH, assistant, request, result, user

ERROR = {"error": {"message": "it went wrong", "type": "x", "code": "y"}}


def in_stream(error: object) -> Scripted:
    """An error object in a 200 answer."""
    return raw(b"data: " + json.dumps({"error": error}).encode() + b"\n\n")


async def test_an_answer_with_thinking_text_and_calls_arrives_whole() -> None:
    scripted = reply(
        "Let me look.", thinking="Where?", tool_calls=[("bash", {"command": "ls"}), ("bash", {})]
    )
    async with ModelServer([scripted], key=KEY) as server, deepseek(server.url) as llm:
        got = await answer(llm, request(tools=(BASH,)))
    blocks = got.assembler.blocks()
    assert got.kind == "tool-calls"
    assert [block["type"] for block in blocks] == ["reasoning", "text", "tool-call", "tool-call"]
    assert (got.text("reasoning"), got.text()) == ("Where?", "Let me look.")
    assert blocks[2]["type"] == "tool-call"
    assert blocks[2]["arguments"] == '{"command": "ls"}'
    assert got.assembler.usage is not None
    assert got.assembler.usage["outputTokens"] > 0


async def test_what_is_sent_is_exactly_the_serialised_request() -> None:
    asked = request(user("hi"), system="Be brief.", tools=(BASH,))
    async with ModelServer() as server, deepseek(server.url) as llm:
        await answer(llm, asked)
        (sent,) = server.requests
    assert sent.raw == body_bytes(asked)
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["accept"] == "text/event-stream"
    assert sent.headers["user-agent"].startswith("dsh-tui/")


async def test_one_connection_serves_one_request_after_the_other() -> None:
    async with ModelServer() as server, deepseek(server.url) as llm:
        for _ in range(3):
            assert (await answer(llm, request())).kind == "stop"
        assert (len(server.requests), server.connections) == (3, 1)


async def test_a_call_answered_in_the_next_request_is_accepted() -> None:
    scripted = [reply(tool_calls=[("bash", {"command": "ls"})]), reply("There.")]
    async with ModelServer(scripted) as server, deepseek(server.url) as llm:
        (call,) = (await answer(llm, request(tools=(BASH,)))).assembler.blocks()
        assert call["type"] == "tool-call"
        history = (
            user("hi"),
            assistant(calls=[(call["id"], "bash", call["arguments"])]),
            result(call["id"], ""),
        )
        assert (await answer(llm, request(*history, tools=(BASH,)))).text() == "There."


@pytest.mark.parametrize(
    ("scripted", "code", "says"),
    [
        (status(401, ERROR), "AUTH", "key"),
        (status(403, ERROR), "AUTH", "key"),
        (status(402, ERROR), "QUOTA", "balance"),
        (status(429, {"error": {"message": "insufficient quota"}}), "QUOTA", "quota"),
        (status(400, ERROR), "INVALID_REQUEST", "it went wrong"),
        (status(422, ERROR), "INVALID_REQUEST", "422"),
        (status(413, ERROR), "INVALID_REQUEST", "413"),
        (status(404, b"<html>x"), "HTTP_404", "HTML"),
        (status(429, ERROR), "RATE_LIMIT", "429"),
        (status(502, "<html>bad"), "SERVER", "502"),
        (status(400), "INVALID_REQUEST", "(empty body)"),
        (
            status(400, {"error": {"message": "maximum context length is 131072, you requested 140000"}}),
            "CONTEXT_WINDOW_EXCEEDED",
            "140000",
        ),
        (status(307, headers={"location": "http://127.0.0.1:1/"}), "HTTP_307", "redirect"),
        (raw(b"<html>", content_type="text/html"), "MALFORMED_RESPONSE", "not an event stream"),
        (raw(b"data: {nonsense\n\n"), "MALFORMED_RESPONSE", "nonsense"),
        (raw(b'data: {"x": NaN}\n\n'), "MALFORMED_RESPONSE", "NaN"),
        (in_stream({"message": "context length", "code": 400}), "CONTEXT_WINDOW_EXCEEDED", "context"),
        (in_stream({"message": "overloaded", "type": "server_error"}), "SERVER", "overloaded"),
        (in_stream({"message": "please wait", "code": 429}), "RATE_LIMIT", "wait"),
        (in_stream({"message": "no funds", "code": "insufficient_quota"}), "QUOTA", "balance"),
        (in_stream("no"), "PROVIDER_ERROR", "no"),
        (raw(b""), "STREAM_CLOSED", "before"),
        (raw(b"", content_type="application/json"), "STREAM_CLOSED", "before"),
        (raw(b": keep-alive\n\ndata: [DONE]\n\n"), "STREAM_CLOSED", "before"),
        (eof_without_done("Half"), "STREAM_CLOSED", "before"),
        (eof_without_done("x", tool_calls=[("bash", "{}")]), "STREAM_CLOSED", "before"),
        (reply(""), "EMPTY_RESPONSE", "empty"),
        (reply("x", finish="content_filter"), "CONTENT_FILTER", "content_filter"),
        (drop(), "TRANSPORT", "127.0.0.1"),
    ],
)  # fmt: skip
async def test_a_failure_has_a_code_and_says_why(scripted: Scripted, code: str, says: str) -> None:
    async with ModelServer([scripted]) as server, deepseek(server.url) as llm:
        got = await answer(llm, request())
        assert len(server.requests) == 1
    assert got.kind == "error"
    assert got.failure["code"] == code
    assert says in got.failure["message"]
    assert "\n" not in got.failure["message"]


async def test_a_reset_in_the_middle_is_a_failure_after_the_text_that_came() -> None:
    async with ModelServer([reset("Half an answer")]) as server, deepseek(server.url) as llm:
        got = await answer(llm, request())
    assert got.failure["code"] in ("TRANSPORT", "STREAM_CLOSED")
    assert "Half an answer".startswith(got.text())


async def test_an_unreachable_server_is_a_transport_failure() -> None:
    async with ModelServer() as server:
        url = server.url
    async with deepseek(url) as llm:
        failure = (await answer(llm, request())).failure
    assert failure["code"] == "TRANSPORT"
    assert "127.0.0.1" in failure["message"]


@pytest.mark.parametrize("url", ["api.deepseek.com", "http://", "ftp://127.0.0.1", ""])
async def test_a_base_url_that_is_none_says_so(url: str) -> None:
    async with deepseek(url) as llm:
        failure = (await answer(llm, request())).failure
    assert failure["code"] == "INVALID_BASE_URL"


@pytest.mark.parametrize(
    ("header", "delay"), [("3", 3000), ("3600", 3_600_000), ("-5", None), ("0", None), ("soon", None)]
)
async def test_the_wait_that_the_server_asks_for_is_reported(header: str, delay: int | None) -> None:
    answers = [status(429, ERROR, {"retry-after": header, "x-request-id": "r-1"})]
    async with ModelServer(answers) as server, deepseek(server.url) as llm:
        failure = (await answer(llm, request())).failure
    assert failure.get("providerRetryAfterMs") == delay
    assert (failure["status"], failure["requestId"]) == (429, "r-1")
    assert delay is None or f"{delay // 1000} s" in failure["message"]


async def test_a_finish_reason_without_done_is_a_complete_answer() -> None:
    async with (
        ModelServer([eof_without_done("All good.", finish="stop")]) as server,
        deepseek(server.url) as llm,
    ):
        got = await answer(llm, request())
    assert (got.kind, got.text()) == ("stop", "All good.")


async def test_an_answer_is_complete_even_if_the_connection_breaks_or_hangs_after_its_finish() -> None:
    scripts = [
        Reply(text="Done.", finish="stop", ending="reset"),
        Reply(text="Done.", finish="stop", ending="stall"),
    ]
    for scripted in scripts:
        clock = FakeClock()
        async with ModelServer([scripted]) as server, deepseek(server.url, clock=clock) as llm:
            waiting = asyncio.create_task(answer(llm, request()))
            while not waiting.done():
                await clock.advance(1)
            assert ((await waiting).kind, (await waiting).text()) == ("stop", "Done.")
            assert clock.monotonic() < 60


@pytest.mark.parametrize("scripted", [stall(), stall(headers=False), stall("Half")])
async def test_silence_ends_the_request_after_the_idle_limit(scripted: Scripted) -> None:
    clock = FakeClock()
    async with ModelServer([scripted]) as server, deepseek(server.url, idle_s=300, clock=clock) as llm:
        waiting = asyncio.create_task(answer(llm, request()))
        await server.wait_for_requests(1)
        await clock.advance(299)
        assert not waiting.done()
        while not waiting.done():
            await clock.advance(301)
        failure = (await waiting).failure
        await server.wait_for_disconnects()
    assert failure["code"] == "TIMEOUT"
    assert "no data for 300 s" in failure["message"]


async def test_the_consumers_own_time_is_not_idle_time() -> None:
    clock, gate = FakeClock(), asyncio.Event()
    scripted = reply("abcdefgh", gate=gate, gate_after=1)
    chunk = None
    async with (
        ModelServer([scripted]) as server,
        deepseek(server.url, clock=clock) as llm,
        aclosing(llm.stream(request())) as chunks,
    ):
        async for chunk in chunks:  # noqa: B007  # the last one is looked at below
            await clock.advance(1000)
            gate.set()
    assert chunk == {"type": "finish", "reason": {"kind": "stop"}}


@pytest.mark.parametrize("scripted", [stall("Half"), stall(headers=False), hold(asyncio.Event())])
async def test_a_cancel_ends_the_stream_at_once_and_closes_the_connection(scripted: Scripted) -> None:
    signal = CancelSignal()
    async with ModelServer([scripted]) as server, deepseek(server.url) as llm:
        waiting = asyncio.create_task(answer(llm, request(signal=signal)))
        await server.wait_for_requests(1)
        started = asyncio.get_running_loop().time()
        signal.cancel("stopped by the user", {"kind": "user"})
        got = await waiting
        assert asyncio.get_running_loop().time() - started < 0.1
        await server.wait_for_disconnects()
    assert (got.kind, got.failure["code"]) == ("aborted", "ABORTED")
    assert waiting.cancelling() == 0


async def test_a_cancel_between_two_chunks_is_seen_before_the_next_read() -> None:
    signal = CancelSignal()
    async with ModelServer([stall("Half")]) as server, deepseek(server.url) as llm:
        kinds: list[str] = []
        async with aclosing(llm.stream(request(signal=signal))) as chunks:
            async for chunk in chunks:
                kinds.append(chunk["type"])
                if chunk["type"] == "text-delta":
                    signal.cancel()
        await server.wait_for_disconnects()
    assert kinds[-1] == "finish"


async def test_a_request_that_is_cancelled_already_is_not_sent() -> None:
    signal = CancelSignal()
    signal.cancel()
    async with ModelServer() as server, deepseek(server.url) as llm:
        assert (await answer(llm, request(signal=signal))).kind == "aborted"
        assert server.requests == []


async def test_a_cancelled_task_and_a_closed_stream_let_go_of_the_connection() -> None:
    async with ModelServer([stall("Half"), stall("Half")]) as server, deepseek(server.url) as llm:
        waiting = asyncio.create_task(answer(llm, request()))
        await server.wait_for_requests(1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with aclosing(llm.stream(request())) as chunks:
            await anext(chunks)
        await server.wait_for_disconnects(2)


# -- the key ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "code"),
    [
        (None, "MISSING_CREDENTIAL"),
        ("", "MISSING_CREDENTIAL"),
        ("sk-ключ", "INVALID_CREDENTIAL"),
        ("sk-1234567\n", "INVALID_CREDENTIAL"),
        ("sk-123 4567", "INVALID_CREDENTIAL"),
    ],
)
async def test_without_a_usable_key_nothing_is_sent(key: str | None, code: str) -> None:
    async with ModelServer() as server, deepseek(server.url, api_key=lambda: key) as llm:
        failure = (await answer(llm, request())).failure
        assert server.requests == []
    assert failure["code"] == code
    assert not key or key not in failure["message"]
    assert "key" in failure["message"]


async def test_the_key_is_asked_for_anew_with_every_request() -> None:
    keys = iter(["wrong", KEY])
    async with ModelServer(key=KEY) as server, deepseek(server.url, api_key=lambda: next(keys)) as llm:
        assert (await answer(llm, request())).failure["code"] == "AUTH"
        assert (await answer(llm, request())).kind == "stop"


@pytest.mark.parametrize(
    "scripted",
    [
        status(401, {"error": {"message": f"bad key {KEY}"}}),
        status(500, f"echo: Bearer {KEY}", {"x-request-id": KEY}),
        raw(f'data: {{"error": {{"message": "key {KEY}"}}}}\n\n'.encode()),
        raw(f"data: {KEY}\n\n".encode()),
        reply("x", finish=KEY),
    ],
)
async def test_a_key_that_the_server_repeats_is_in_no_failure(scripted: Scripted) -> None:
    async with ModelServer([scripted]) as server, deepseek(server.url) as llm:
        got = await answer(llm, request())
    assert KEY not in repr(got.failure)
    assert got.kind == "error"


# -- models ----------------------------------------------------------------------------------------


async def test_the_server_adds_to_the_known_models_and_any_id_resolves() -> None:
    async with ModelServer(models=["deepseek-v9"]) as server, deepseek(server.url) as llm:
        ids = [model.id for model in await llm.list_models("deepseek")]
        info = llm.resolve_model("deepseek", "whatever")
    assert ids == ["deepseek-flash", "deepseek-v4-pro", "deepseek-v9"]
    assert (info.id, info.context_window, info.max_output) == ("whatever", 1_000_000, 256_000)
    assert (info.efforts, info.default_effort) == (("off", "low", "high", "max"), "high")


async def test_a_server_that_lists_no_models_costs_a_log_line(caplog: pytest.LogCaptureFixture) -> None:
    async with ModelServer(key="another") as server, deepseek(server.url) as llm:
        with caplog.at_level(logging.WARNING):
            ids = [model.id for model in await llm.list_models("deepseek")]
    assert ids == ["deepseek-flash", "deepseek-v4-pro"]
    assert "models of deepseek" in caplog.text
    assert KEY not in caplog.text


def test_httpx_is_not_imported_before_the_first_request() -> None:
    script = "import sys, dsh_tui.engine.llm.deepseek.plugin as p; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"httpx", "httpx_sse", "pydantic"}.isdisjoint(done.stdout.split())


async def test_twenty_thousand_tokens_arrive_without_loss() -> None:
    async with ModelServer() as server, deepseek(server.url) as llm:
        got = await answer(llm, request(user("bench n=20000 id=7")))
    assert got.text() == "".join(markdown(20_000, "7"))
