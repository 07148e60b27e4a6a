"""Retries: what is tried again, after how long, what the log says, and what ends the wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.llm.chunks import Failure
from dsh_tui.engine.llm.retry.policy import RETRYABLE, RetryPolicy
from tests.fakes.model_server import eof_without_done, reply, reset, status

if TYPE_CHECKING:
    from tests.engine.llm.retry.conftest import RetryApp

STEADY = RetryPolicy(random=lambda: 0.5)


def failure(code: str = "SERVER", retry_after_ms: int | None = None) -> Failure:
    made = Failure(message="no", code=code)
    if retry_after_ms is not None:
        made["providerRetryAfterMs"] = retry_after_ms
    return made


def test_the_backoff_doubles_from_half_a_second_to_ten_seconds_and_gives_up_after_five() -> None:
    waits = [STEADY.delay_ms(failure(), attempt) for attempt in range(1, 8)]
    assert waits == [500, 1000, 2000, 4000, 8000, None, None]
    endless = RetryPolicy(retries=None, random=lambda: 0.5)
    assert [endless.delay_ms(failure(), attempt) for attempt in (6, 1000)] == [10_000, 10_000]


@given(st.floats(0, 1), st.integers(1, 5))
def test_jitter_stays_within_a_tenth(random: float, attempt: int) -> None:
    base = STEADY.delay_ms(failure(), attempt)
    delay = RetryPolicy(random=lambda: random).delay_ms(failure(), attempt)
    assert base is not None
    assert delay is not None
    assert base * 0.9 - 1 <= delay <= base * 1.1 + 1


@pytest.mark.parametrize(
    ("asked", "delay"), [(1, 1), (3000, 3000), (60_000, 60_000), (60_001, None), (3_600_000, None)]
)
def test_the_providers_wait_replaces_the_backoff_up_to_a_cap(asked: int, delay: int | None) -> None:
    assert STEADY.delay_ms(failure("RATE_LIMIT", asked), 1) == delay


@pytest.mark.parametrize(
    "code",
    ["AUTH", "QUOTA", "INVALID_REQUEST", "CONTEXT_WINDOW_EXCEEDED", "HTTP_404", "MALFORMED_RESPONSE"],
)
def test_what_can_not_succeed_is_not_tried_again(code: str) -> None:
    assert STEADY.delay_ms(failure(code), 1) is None
    assert code not in RETRYABLE


async def test_a_retry_is_logged_before_and_after_its_wait(retrying: RetryApp) -> None:
    retrying.server.push(status(503), "There.")
    assert await retrying.run() == {"kind": "completed"}
    (waiting,), (started,) = retrying.events("llm/retry"), retrying.events("llm/retry-started")
    retry_id = waiting.data["retryId"]
    assert waiting.data == {
        "retryId": retry_id,
        "turn": 1,
        "step": 1,
        "provider": "deepseek",
        "mode": "normal",
        "retry": 1,
        "delayMs": 500,
        "failure": waiting.data["failure"],
        "maxRetries": 5,
    }
    assert waiting.data["failure"]["code"] == "SERVER"
    assert started.data == {"retryId": retry_id, "turn": 1, "step": 1}
    assert waiting.seq < started.seq
    assert [sent.raw for sent in retrying.server.requests] == [retrying.server.requests[0].raw] * 2


async def test_the_failed_partial_answer_is_in_no_later_request(retrying: RetryApp) -> None:
    cut = eof_without_done("Half", tool_calls=[("bash", "{}")])
    retrying.server.push(cut, reset("Half again"), "Whole.", "Next.")
    assert await retrying.run() == {"kind": "completed"}
    assert await retrying.run("and now?") == {"kind": "completed"}
    assert retrying.events("tool/call") == []
    messages = retrying.server.requests[-1].body["messages"]
    assert [message["content"] for message in messages if message["role"] == "assistant"] == ["Whole."]


async def test_after_five_retries_the_failure_stands(retrying: RetryApp) -> None:
    retrying.server.push(*[status(503, b"busy")] * 9)
    reason = await retrying.run()
    assert (reason["kind"], reason["code"]) == ("error", "SERVER")
    assert len(retrying.server.requests) == 6
    assert retrying.waits_s == [0.5, 1, 2, 4, 8]


async def test_a_cancel_ends_the_wait_and_nothing_more_is_sent(retrying: RetryApp) -> None:
    retrying.server.push(status(503))
    retrying.agent.send("hi")
    while not retrying.events("llm/retry"):
        await retrying.clock.settle()
    retrying.agent.cancel()
    await retrying.agent.when_idle()
    assert retrying.events("turn/end")[-1].data["reason"]["kind"] == "aborted"
    assert retrying.events("llm/retry-started") == []
    assert len(retrying.server.requests) == 1


async def test_unloading_the_plugin_ends_the_wait_and_the_failure_stands(retrying: RetryApp) -> None:
    retrying.server.push(status(503))
    retrying.agent.send("hi")
    while not retrying.events("llm/retry"):
        await retrying.clock.settle()
    await retrying.plugin.dispose()
    await asyncio.wait_for(retrying.agent.when_idle(), 5)
    assert retrying.events("turn/end")[-1].data["reason"]["kind"] == "error"


async def test_each_step_has_its_own_count(retrying: RetryApp) -> None:
    retrying.server.push(status(503), reply("", tool_calls=[("nothing", {})]), status(503), "Done.")
    assert await retrying.run() == {"kind": "completed"}
    assert retrying.waits_s == [0.5, 0.5]
