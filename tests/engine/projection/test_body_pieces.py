from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.projection.body_pieces import parting, pieces_of

MESSAGE = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.text()})
TOOL = st.fixed_dictionaries({"name": st.text(max_size=3)})


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": draw(st.sampled_from("ab")),
        "messages": draw(st.lists(MESSAGE, max_size=4)),
    }
    if draw(st.booleans()):
        body["effort"] = draw(st.sampled_from(["low", "high"]))
    tools = draw(st.lists(TOOL, max_size=3))
    return {**body, "tools": tools} if tools else body


@given(bodies())
def test_pieces_stand_where_they_say(body: dict[str, Any]) -> None:
    data, cut = dump_bytes(body), pieces_of(body)
    assert cut.size == len(data)
    for piece in (*cut.settings.values(), *cut.messages, *cut.tools):
        assert data[piece.start : piece.start + len(piece.data)] == piece.data


@given(bodies(), st.lists(MESSAGE, max_size=3))
def test_added_messages_are_no_break(body: dict[str, Any], more: list[dict[str, str]]) -> None:
    longer = {**body, "messages": [*body["messages"], *more]}
    assert parting(pieces_of(body), pieces_of(longer)) is None


@given(bodies(), bodies())
def test_whatever_else_differs_is_a_break_within_the_body(one: dict[str, Any], other: dict[str, Any]) -> None:
    found = parting(pieces_of(one), pieces_of(other))
    count = len(one["messages"])
    cut = {**other, "messages": other["messages"][:count]}
    goes_on = {name: dump_bytes(cut[name]) for name in cut} == {name: dump_bytes(one[name]) for name in one}
    assert (found is None) == goes_on
    if found is not None:
        assert 0 <= found.byte <= len(dump_bytes(other))
        if found.old is not None and found.new is not None:
            at = found.byte - found.new.start
            assert found.old.data[:at] == found.new.data[:at]
            assert found.old.data[at : at + 1] != found.new.data[at : at + 1]
