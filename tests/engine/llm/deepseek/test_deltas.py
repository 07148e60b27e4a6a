"""Wire deltas: which block a delta belongs to, and how an answer ends."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import FrozenDict, freeze
from dsh_tui.engine.base.lossless import dumps, loads
from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.blocks import ToolCallBlock
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.deepseek.deltas import DeltaReader
from dsh_tui.engine.llm.errors import LlmError

Wire = dict[str, Any]


def event(finish: str | None = None, usage: Wire | None = None, **delta: Any) -> Wire:
    payload: Wire = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return payload if usage is None else {**payload, "usage": usage}


def call(arguments: str = "", **fields: Any) -> Wire:
    name = fields.pop("name", None)
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {**fields, "function": function}


def read(*payloads: Wire, known: set[str] | None = None) -> tuple[list[Chunk], LlmError | None]:
    reader = DeltaReader(lambda: set(known or ()))
    chunks: list[Chunk] = []
    for payload in payloads:
        reader.add(payload, chunks)
    failure = reader.close(chunks)
    assert all(type(chunk) is FrozenDict and freeze(chunk) == chunk for chunk in chunks)
    return chunks, failure


def calls(*payloads: Wire, known: set[str] | None = None) -> list[ToolCallBlock]:
    chunks, failure = read(*payloads, event("tool_calls"), known=known)
    assert failure is None
    assembler = Assembler()
    for chunk in chunks:
        assembler.add(chunk)
    return [block for block in assembler.blocks() if block["type"] == "tool-call"]


def test_reasoning_text_and_calls_become_blocks_in_that_order() -> None:
    chunks, failure = read(
        event(role="assistant", content=None, reasoning_content=""),
        event(reasoning_content="Hm"),
        event(reasoning_content=".", content="So"),
        event(content=": ", tool_calls=[call("{}", index=0, id="a", name="ls")]),
        event("tool_calls", usage={"prompt_tokens": 9, "completion_tokens": 4}),
    )
    assert failure is None
    assert chunks == [
        {"type": "block-start", "index": 0, "blockType": "reasoning"},
        {"type": "reasoning-delta", "index": 0, "text": "Hm"},
        {"type": "reasoning-delta", "index": 0, "text": "."},
        {"type": "block-end", "index": 0, "block": {"type": "reasoning", "text": "Hm."}},
        {"type": "block-start", "index": 1, "blockType": "text"},
        {"type": "text-delta", "index": 1, "text": "So"},
        {"type": "text-delta", "index": 1, "text": ": "},
        {"type": "block-end", "index": 1, "block": {"type": "text", "text": "So: "}},
        {"type": "block-start", "index": 2, "blockType": "tool-call"},
        {"type": "tool-call-delta", "index": 2, "id": "a", "name": "ls", "argumentsDelta": "{}"},
        {
            "type": "block-end",
            "index": 2,
            "block": {"type": "tool-call", "id": "a", "name": "ls", "arguments": "{}"},
        },
        {"type": "usage", "usage": {"inputTokens": 9, "outputTokens": 4}},
        {"type": "finish", "reason": {"kind": "tool-calls"}},
    ]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        pytest.param(
            [
                call("{", index=0, id="a", name="x"),
                call("1", index=0, id="", name=""),
                call("}", index=0, id=None),
            ],
            [("a", "x", "{1}")],
            id="empty identity changes nothing",
        ),
        pytest.param(
            [call("{", index=0, id="a"), call("", index=0, name="late"), call("}", index=0)],
            [("a", "late", "{}")],
            id="late name",
        ),
        pytest.param(
            [call("{", id="a", name="x"), call("[", id="b", name="y"), call("}", id="a"), call("]", id="b")],
            [("a", "x", "{}"), ("b", "y", "[]")],
            id="by id without index",
        ),
        pytest.param(
            [call("{", id="a", name="x"), call("}")], [("a", "x", "{}")], id="the open call without both"
        ),
        pytest.param(
            [
                call("{}", index=0, id="a", name="x"),
                call("[]", index=0, id="b", name="y"),
                call("!", index=0),
            ],
            [("a", "x", "{}"), ("b", "y", "[]!")],
            id="every call numbered 0",
        ),
        pytest.param(
            [call("{", index=0, id="a", name="x"), call("}", index=0, id="other")],
            [("a", "x", "{}")],
            id="another id without a name is the same call",
        ),
    ],
)
def test_deltas_find_their_call(deltas: list[Wire], expected: list[tuple[str, str, str]]) -> None:
    found = calls(*(event(tool_calls=[delta]) for delta in deltas))
    assert [(block["id"], block["name"], block["arguments"]) for block in found] == expected


def test_a_missing_id_is_minted_once_and_differs_between_calls() -> None:
    first, second = calls(
        event(tool_calls=[call("{", index=0, name="a"), call("[", index=1, name="b")]),
        event(tool_calls=[call("]", index=1), call("}", index=0)]),
    )
    assert first["id"]
    assert second["id"]
    assert first["id"] != second["id"]
    assert (first["arguments"], second["arguments"]) == ("{}", "[]")


def test_an_id_that_the_session_already_knows_is_replaced() -> None:
    (block,) = calls(event(tool_calls=[call("{}", index=0, id="call_0", name="a")]), known={"call_0"})
    assert block["id"] not in ("call_0", "")


def test_arguments_that_come_as_an_object_are_kept_as_text() -> None:
    (block,) = calls(
        event(tool_calls=[{"index": 0, "id": "a", "function": {"name": "x", "arguments": {"p": 1}}}])
    )
    assert json.loads(block["arguments"]) == {"p": 1}


def test_a_call_that_met_the_output_limit_never_ends() -> None:
    chunks, failure = read(event(tool_calls=[call('{"pa', index=0, id="a", name="x")]), event("length"))
    assert failure is None
    assert "block-end" not in [chunk["type"] for chunk in chunks]
    assert chunks[-1] == {"type": "finish", "reason": {"kind": "max-tokens"}}


@pytest.mark.parametrize(
    ("finish", "code"),
    [
        ("content_filter", "CONTENT_FILTER"),
        ("insufficient_system_resource", "INSUFFICIENT_SYSTEM_RESOURCE"),
        (None, "STREAM_CLOSED"),
    ],
)
def test_an_answer_that_breaks_off_is_a_failure_with_its_usage(finish: str | None, code: str) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    chunks, failure = read(event(content="Half"), event(finish, usage=usage))
    assert failure is not None
    assert failure.code == code
    assert finish is None or finish in failure.message
    assert chunks[-1]["type"] == "usage"


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
def test_nothing_at_all_is_an_empty_response(finish: str) -> None:
    _, failure = read(event(role="assistant", content="", reasoning_content=""), event(finish))
    assert failure is not None
    assert failure.code == "EMPTY_RESPONSE"


def test_calls_are_calls_whatever_the_finish_reason_says() -> None:
    chunks, _ = read(event(tool_calls=[call("{}", index=0, id="a", name="x")]), event("stop"))
    assert chunks[-1] == {"type": "finish", "reason": {"kind": "tool-calls"}}


@pytest.mark.parametrize(
    ("wire", "usage"),
    [
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 8},
            {"inputTokens": 2, "outputTokens": 5, "cacheReadTokens": 8},
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            {"inputTokens": 7, "outputTokens": 5, "cacheReadTokens": 3, "reasoningTokens": 4},
        ),
        ({"prompt_tokens": "x", "completion_tokens": -1}, {"inputTokens": 0, "outputTokens": 0}),
    ],
)
def test_usage_counts_are_disjoint(wire: Wire, usage: Wire) -> None:
    chunks, _ = read(event(content="a"), event("stop"), {"choices": [], "usage": wire})
    assert chunks[-2] == {"type": "usage", "usage": usage}


@pytest.mark.parametrize(
    "payload",
    [
        [],
        "text",
        {"choices": "x"},
        {"choices": [1]},
        {"choices": [{"delta": 1}]},
        {"choices": [{"delta": {"content": 1}}]},
        {"choices": [{"delta": {"tool_calls": [1]}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": 1}]}}]},
    ],
)
def test_what_is_no_chat_payload_is_malformed(payload: Any) -> None:
    with pytest.raises(LlmError) as caught:
        DeltaReader().add(payload, [])
    assert caught.value.code == "MALFORMED_RESPONSE"


@given(st.text(max_size=12), st.lists(st.integers(0, 30), max_size=4))
def test_text_cut_inside_escaped_characters_is_joined_again(text: str, cuts: list[int]) -> None:
    units = text.encode("utf-16-le")
    edges = sorted({0, len(units), *(cut * 2 for cut in cuts if cut * 2 < len(units))})
    pieces = [
        units[start:end].decode("utf-16-le", "surrogatepass") for start, end in itertools.pairwise(edges)
    ]
    chunks, _ = read(*(event(content=piece) for piece in pieces), event("stop"))
    joined = "".join(chunk["text"] for chunk in chunks if chunk["type"] == "text-delta")
    assert joined == text
    assert loads(dumps(joined)) == joined


def test_half_a_character_without_its_partner_is_replaced() -> None:
    chunks, _ = read(
        event(content="a\ud83d"), event(content="b"), event(content="\udc00\ud83d"), event("stop")
    )
    (ended,) = [chunk["block"] for chunk in chunks if chunk["type"] == "block-end"]
    assert ended == {"type": "text", "text": "a\ufffdb\ufffd\ufffd"}
