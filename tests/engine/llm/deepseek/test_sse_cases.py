"""Streams from users' reports, fed whole, byte by byte and cut where it hurts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.chunks import Chunk, Failure
from dsh_tui.engine.llm.deepseek.body import body_reader
from dsh_tui.engine.llm.deepseek.deltas import DeltaReader
from dsh_tui.engine.llm.errors import LlmError
from tests.fakes.llm_rig import Answer, answer, deepseek
from tests.fakes.model_server import ModelServer, raw
from tests.fakes.requests import request

CASES = Path(__file__).resolve().parents[4] / "../shared/cases/sse"
NAMES = sorted(path.stem for path in CASES.glob("*.txt"))
TYPES = {"sse": "text/event-stream; charset=utf-8", "json-body": "application/json"}

pytestmark = pytest.mark.skipif(not NAMES, reason="the cases are not here")


def case(name: str) -> tuple[bytes, dict[str, Any]]:
    expected = json.loads((CASES / f"{name}.expected.json").read_text(encoding="utf-8"))
    return (CASES / f"{name}.txt").read_bytes(), expected


def check(assembler: Assembler, chunks: list[Chunk], failure: Failure | None, expect: dict[str, Any]) -> None:
    if expect["outcome"] == "complete":
        assert failure is None
    elif expect["outcome"] == "provider_error":
        assert failure is not None
        assert expect["error_contains"].lower() in failure["message"].lower()
    elif failure is None:
        assert assembler.finish == {"kind": "max-tokens"}
    else:
        assert failure["code"] == "STREAM_CLOSED"
    wanted = expect["message"]
    for kind, text in (("text", wanted["content"]), ("reasoning", wanted["reasoning_content"])):
        assert "".join(c["text"] for c in chunks if c["type"] == f"{kind}-delta") == text  # type: ignore[typeddict-item]
    usage = assembler.usage
    total = None if usage is None else sum(n for key, n in usage.items() if key != "reasoningTokens")  # type: ignore[misc]
    assert total == expect["usage_total"]
    runnable = [call for call in wanted["tool_calls"] if call["runnable"]]
    calls = [] if failure else [block for block in assembler.blocks() if block["type"] == "tool-call"]
    assert len(calls) == len(runnable)
    assert len({call["id"] for call in calls}) == len(calls)
    for call, expected in zip(calls, runnable, strict=True):
        assert call["id"]
        assert expected["id"] in ("<generated>", call["id"])
        assert (call["name"], call["arguments"]) == (expected["name"], expected["arguments"])


@pytest.mark.parametrize("name", NAMES)
async def test_published_streams_mean_the_same_over_http_whole_and_split(name: str) -> None:
    body, expected = case(name)
    content_type = TYPES[expected["kind"]]
    scripts = [raw(body, content_type=content_type)]
    scripts.append(raw(body, expected.get("splits", range(7, len(body), 7)), content_type=content_type))
    async with ModelServer(scripts) as server, deepseek(server.url) as llm:
        for _ in scripts:
            got: Answer = await answer(llm, request())
            failure = got.failure if got.kind in ("error", "aborted") else None
            check(got.assembler, list(got.chunks), failure, expected["expect"])


@pytest.mark.parametrize("size", [1, 2, 3, 64])
@pytest.mark.parametrize("name", NAMES)
def test_published_streams_in_tiny_reads(name: str, size: int) -> None:
    body, expected = case(name)
    reader, deltas, assembler = body_reader(TYPES[expected["kind"]]), DeltaReader(), Assembler()
    chunks: list[Chunk] = []
    for start in range(0, len(body), size):
        for payload in reader.feed(body[start : start + size]):
            deltas.add(payload, chunks)
    if not reader.done:
        for payload in reader.close():
            deltas.add(payload, chunks)
    error: LlmError | None = deltas.close(chunks)
    for chunk in chunks:
        assembler.add(chunk)
    check(assembler, chunks, None if error is None else error.failure(), expected["expect"])
