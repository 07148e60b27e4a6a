"""Answers of a server in trouble, from users' reports: how often we ask, how long we wait, what we say."""

from __future__ import annotations

import json
import re
import time
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.model_script import Answer
from tests.fakes.model_server import drop, raw, reply, reset, status

if TYPE_CHECKING:
    from tests.engine.llm.retry.conftest import RetryApp

CASES = Path(__file__).resolve().parents[4] / "../shared/cases/http"
ROWS = [row for path in sorted(CASES.glob("*.json")) for row in json.loads(path.read_text())["rows"]]
RETRIES = 9

pytestmark = pytest.mark.skipif(not ROWS, reason="the cases are not here")


def scripted(entry: dict[str, Any]) -> Answer:
    if "connect" in entry:
        return drop()
    if "stream" in entry:
        return reset("three deltas")
    if "stream_error_frame" in entry:
        return raw(b"data: " + json.dumps(entry["stream_error_frame"]).encode() + b"\n\n")
    if entry["status"] == 200 and "body" in entry:
        return raw(entry["body"].encode(), content_type=entry.get("content-type", "text/event-stream"))
    if entry["status"] == 200:
        return reply("There.")
    headers = {name: entry[name] for name in ("location",) if name in entry}
    if "retry-after" in entry:
        headers["retry-after"] = _header(entry["retry-after"])
    return status(entry["status"], entry.get("body", {"error": {"message": "no"}}), headers)


def _header(value: str) -> str:
    if "in the past" in value:
        return formatdate(time.time() - 60, usegmt=True)
    ahead = re.search(r"HTTP date (\d+) s ahead", value)
    return formatdate(time.time() + int(ahead[1]), usegmt=True) if ahead else value


@pytest.mark.parametrize("row", ROWS, ids=lambda row: json.dumps(row["answers"])[:60])
async def test_each_published_row_of_answers_ends_as_it_says_after_as_many_requests(
    retrying: RetryApp, row: dict[str, Any]
) -> None:
    expect = row["expect"]
    answers = [scripted(entry) for entry in row["answers"]]
    forever = any(entry.get("forever") for entry in row["answers"]) or "requests" not in expect
    retrying.server.push(*(answers * RETRIES if forever else answers))
    reason = await retrying.run()
    message = str(reason.get("message", ""))
    if "requests" in expect:
        assert len(retrying.server.requests) == expect["requests"]
    assert len(retrying.server.requests) <= expect.get("requests_max", 10)
    if expect["outcome"] == "ok":
        assert reason == {"kind": "completed"}
    else:
        assert reason["kind"] == "error"
    if expect["outcome"] == "context_overflow":
        assert reason["code"] == "CONTEXT_WINDOW_EXCEEDED"
    for (low, high), wait in zip(expect.get("waits_s", ()), retrying.waits_s, strict=False):
        assert low <= wait <= high
    if expect.get("waits_grow"):
        assert retrying.waits_s == sorted(set(retrying.waits_s))
    if "message_mentions" in expect:
        assert any(words in message for words in expect["message_mentions"].split(" or "))
    for shown in expect.get("shows", ()):
        assert shown in message
    assert retrying.events("tool/call") == []
