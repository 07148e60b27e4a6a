from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import FrozenDict, freeze
from dsh_tui.engine.persistence.jsonl.format import decode_line, encode_rows
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from tests.fakes.session_logs import NOON, bare_session, whole_turn

TEXTS = st.text(alphabet=st.characters(codec=None), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-1e9, 1e9).map(lambda x: x + 0.0)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_any_event_comes_back_equal_from_one_safe_line(data: dict[str, Any]) -> None:
    event = Event("x/y", 7, NOON, freeze(data), freeze({"op": "append"}), (1, 2), ignorable=True)  # type: ignore[arg-type]  # a marker
    line = encode_rows([event]).decode()
    assert line.count("\n") == 1
    assert not {"\u2028", "\u2029", "\x7f", "\x1b", "\x9b"} & set(line)
    again = decode_line(line.rstrip("\n"))
    assert again == event
    assert isinstance(again, Event)
    assert type(again.data) is FrozenDict
    assert json.dumps(again.data) == json.dumps(event.data)


def test_packed_rows_unpack_to_the_same_events() -> None:
    session = bare_session()
    whole_turn(session, "hello", "hi", *"a longer answer")
    lines = encode_rows(session.events.rows()).decode().splitlines()
    assert len(lines) < len(session.events)
    assert list(EventLog.of(map(decode_line, lines))) == list(session.events)
    for line in lines:
        assert {"type", "seq", "time", "data"} <= set(json.loads(line))


def test_nested_lists_are_frozen_too() -> None:
    row = decode_line('{"type":"x/y","seq":0,"time":1,"data":{"a":[[1,{"b":[2]}]]}}')
    assert isinstance(row, Event)
    assert row.data == {"a": ((1, {"b": (2,)}),)}
    assert type(row.data["a"][0][1]) is FrozenDict


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "3",
        '{"type":"x","seq":0,"time":1}',
        '{"type":"x","seq":"0","time":1,"data":{}}',
        '{"type":"x","seq":true,"time":1,"data":{}}',
        '{"type":"x","seq":-1,"time":1,"data":{}}',
        '{"type":"x","seq":0,"time":1.5,"data":{}}',
        '{"type":"x","seq":0,"time":1,"data":[]}',
        '{"type":"x","seq":0,"time":1,"data":{"n":NaN}}',
        '{"type":"x","seq":0,"time":1,"data":{}} {}',
        '{"type":"x","seq":0,"time":1,"data":{},"surfaceOp":"append"}',
        '{"type":"x","seq":0,"time":1,"data":{},"surfaceOp":{"op":"replace"}}',
        '{"type":"x","seq":0,"time":1,"data":{},"sourceEventSeqs":["1"]}',
        '{"type":"assistant/chunk-run","seq":0,"time":1,"data":{}}',
        "{" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_what_is_no_row_is_a_value_error(line: str) -> None:
    with pytest.raises(ValueError):
        decode_line(line)
