"""The assembler: chunks in any order a provider may send them, one message out."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import FrozenDict, freeze
from dsh_tui.engine.llm.assembler import Assembler


def assembled(*chunks: dict[str, Any]) -> Assembler:
    assembler = Assembler()
    for chunk in chunks:
        assembler.add(freeze(chunk))  # type: ignore[arg-type]  # a dict literal stands for any chunk
    return assembler


def text(index: int, piece: str) -> dict[str, Any]:
    return {"type": "text-delta", "index": index, "text": piece}


def call(index: int, piece: str, call_id: str = "c1", **more: str) -> dict[str, Any]:
    return {"type": "tool-call-delta", "index": index, "id": call_id, "argumentsDelta": piece, **more}


def finish(kind: str) -> dict[str, Any]:
    return {"type": "finish", "reason": {"kind": kind}}


def end(index: int, **block: str) -> dict[str, Any]:
    return {"type": "block-end", "index": index, "block": block}


def test_blocks_stand_in_the_order_in_which_their_index_was_first_seen() -> None:
    made = assembled(text(7, "a"), {"type": "reasoning-delta", "index": 2, "text": "r"}, text(7, "b"))
    assert made.blocks() == ({"type": "text", "text": "ab"}, {"type": "reasoning", "text": "r"})


def test_the_first_block_end_wins_and_later_deltas_change_nothing() -> None:
    made = assembled(
        text(0, "draft"), end(0, type="text", text="final"), text(0, "!"), end(0, type="text", text="other")
    )
    assert made.blocks() == ({"type": "text", "text": "final"},)


def test_interleaved_calls_keep_their_own_arguments_and_a_late_name() -> None:
    made = assembled(
        call(0, "{", "a"), call(1, "[", "b", name="two"), call(0, "}", "a", name="one"), call(1, "]", "b")
    )
    assert made.blocks() == (
        {"type": "tool-call", "id": "a", "name": "one", "arguments": "{}"},
        {"type": "tool-call", "id": "b", "name": "two", "arguments": "[]"},
    )


def test_a_call_without_an_id_is_named_after_its_index() -> None:
    (block,) = assembled(call(3, "{}", "", name="bash")).blocks()
    assert block["type"] == "tool-call"
    assert block["id"] == "call-3"


def test_calls_are_dropped_at_the_output_limit_even_if_they_ended() -> None:
    whole = end(1, type="tool-call", id="c", name="bash", arguments="{}")
    made = assembled(text(0, "I will"), whole, call(2, '{"pa'), finish("max-tokens"))
    assert made.blocks() == ({"type": "text", "text": "I will"},)


def test_an_interrupted_answer_keeps_text_and_reasoning_that_is_not_blank() -> None:
    made = assembled(
        {"type": "reasoning-delta", "index": 0, "text": "hm"}, text(1, " \n"), text(2, "So"), call(3, "{}")
    )
    assert made.interrupted_blocks() == (
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "So"},
    )


def test_usage_and_finish_are_kept_and_nothing_counts_after_the_finish() -> None:
    usage = {"inputTokens": 1, "outputTokens": 2}
    made = assembled(text(0, "a"), {"type": "usage", "usage": usage}, finish("stop"), text(0, "b"))
    assert (made.usage, made.finish) == (usage, {"kind": "stop"})
    assert made.blocks() == ({"type": "text", "text": "a"},)


def test_unknown_chunks_are_skipped_and_unknown_blocks_are_kept_as_they_end() -> None:
    made = assembled(
        {"type": "block-start", "index": 0, "blockType": "x/map"},
        {"type": "x/new"},
        end(0, type="x/map", at="1"),
    )
    assert made.blocks() == ({"type": "x/map", "at": "1"},)


def test_an_opened_block_without_text_is_no_block() -> None:
    assert assembled({"type": "block-start", "index": 0, "blockType": "text"}).blocks() == ()


@given(st.lists(st.tuples(st.integers(0, 3), st.text(min_size=1, max_size=4)), max_size=30))
def test_text_is_never_lost_or_moved_between_blocks(deltas: list[tuple[int, str]]) -> None:
    made = assembled(*(text(index, piece) for index, piece in deltas))
    expected: dict[int, str] = {}
    for index, piece in deltas:
        expected[index] = expected.get(index, "") + piece
    assert [block["text"] for block in made.blocks()] == list(expected.values())  # type: ignore[typeddict-item]  # all are text
    assert all(isinstance(block, FrozenDict) for block in made.blocks())
