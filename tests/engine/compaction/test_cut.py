"""Where a history may be cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.compaction.cut import FEWEST, answers, calls, find_cut, safe_places
from dsh_tui.engine.llm.messages import Message

CASE = Path(__file__).resolve().parents[3] / "../shared/cases/history/s02-compaction-cut.json"
# q1, two calls and their results, an answer, q2, a call and its result, an answer, q3
HISTORY = ("user", "calls:a,b", "result:a", "result:b", "says", "user", "calls:c", "result:c", "says", "user")


def message(told: str) -> Message:
    kind, _, rest = told.partition(":")
    blocks: list[dict[str, Any]] = [{"type": "text", "text": told}]
    if kind == "calls":
        blocks = [{"type": "tool-call", "id": i, "name": "read", "arguments": "{}"} for i in rest.split(",")]
    elif kind == "result":
        blocks = [{"type": "tool-result", "toolCallId": rest, "content": []}]
    role = "assistant" if kind in ("calls", "says") else "user"
    return freeze(Message(id=told, role=role, content=blocks, source={"kind": "user"}))  # type: ignore[typeddict-item]  # frozen below


def history(*told: str) -> list[Message]:
    return [message(one) for one in told]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(1, 4), (2, 4), (3, 4), (4, 4), (5, 5), (6, 6), (7, 6), (8, 8), (9, 9)],
)
def test_the_cut_goes_back_to_the_nearest_safe_place_else_forward(wanted: int, found: int) -> None:
    messages = history(*HISTORY)
    assert safe_places(messages) == [0, 1, 4, 5, 6, 8, 9]
    assert find_cut(messages, wanted) == found


def test_the_case_of_the_corpus_holds_at_every_place() -> None:
    if not CASE.exists():
        pytest.skip("the corpus is not here")
    case = json.loads(CASE.read_text())
    messages = [_of_wire(one) for one in case["history"]]
    for row in case["rows"]:
        assert safe_places(messages) == row["safe_positions"]
        # One message alone is never cut off: a summary of it could not shrink anything.
        assert row["k"] < FEWEST or find_cut(messages, row["k"]) in row["expect_start_in"]


def test_a_call_that_nobody_answered_forbids_every_cut_before_it() -> None:
    messages = history("user", "says", "user", "calls:a", "user", "says")
    assert safe_places(messages) == []
    assert find_cut(messages, 4) is None


def test_a_result_far_behind_its_call_keeps_both_on_one_side() -> None:
    messages = history("user", "says", "calls:a", "user", "result:a", "says", "user")
    assert safe_places(messages) == [0, 1, 2, 5, 6]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_is_kept_is_whole_and_begins_with_somebody_who_speaks(data: st.DataObject) -> None:
    told: list[str] = []
    waiting: list[str] = []
    for number in range(data.draw(st.integers(0, 14))):
        kind = data.draw(st.sampled_from(["user", "says", "calls", *["result"] * bool(waiting)]))
        if kind == "calls":
            ids = [f"{number}{letter}" for letter in "ab"[: data.draw(st.integers(1, 2))]]
            waiting += ids
            told.append("calls:" + ",".join(ids))
        elif kind == "result":
            told.append("result:" + waiting.pop(data.draw(st.integers(0, len(waiting) - 1))))
        else:
            told.append(kind)
    messages = history(*told)
    cut = find_cut(messages, data.draw(st.integers(1, 15)))
    if cut is None:
        return
    gone, kept = messages[:cut], messages[cut:]
    assert len(gone) >= FEWEST
    assert not answers(kept[0])
    for part in (gone, kept):
        asked = [one for each in part for one in calls(each)]
        answered = [one for each in part for one in answers(each)]
        assert sorted(asked) == sorted(answered)


def _of_wire(told: dict[str, Any]) -> Message:  # Any: JSON of a chat body
    if told["role"] == "tool":
        return message(f"result:{told['tool_call_id']}")
    if told.get("tool_calls"):
        return message("calls:" + ",".join(call["id"] for call in told["tool_calls"]))
    return message("user" if told["role"] == "user" else "says")
