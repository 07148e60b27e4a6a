from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.lossless import dumps, loads
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun, pack, run_from_json, start_run, unpack
from tests.fakes.session_logs import NOON, bare_session, open_step, open_turn, stream

WORDS = st.text(alphabet=st.characters(codec=None), max_size=6) | st.sampled_from(
    ["\ud83d", "\u2028", "中文"]
)
TEXT_DELTAS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text-delta", "reasoning-delta"]), "index": st.integers(0, 1), "text": WORDS}
)
CALL_DELTAS = st.fixed_dictionaries(
    {
        "type": st.just("tool-call-delta"),
        "index": st.integers(0, 1),
        "id": st.sampled_from(["c1", "c2"]),
        "argumentsDelta": WORDS,
    }
)
OTHERS = st.sampled_from(
    [
        {"type": "block-start", "index": 0, "blockType": "text"},
        {"index": 0, "type": "text-delta", "text": "other order"},
        {"type": "text-delta", "index": 0, "text": "x", "extra": 1},
        {"type": "tool-call-delta", "index": 0, "id": "c1", "name": "read", "argumentsDelta": ""},
        {"type": "finish", "reason": {"kind": "stop"}},
    ]
)
CHUNKS = st.lists(TEXT_DELTAS | CALL_DELTAS | OTHERS, max_size=30)
TIMES = st.lists(st.integers(-3, 50), min_size=30, max_size=30)


def events_of(chunks: list[dict[str, Any]], times: list[int]) -> list[Event]:
    return [
        Event("assistant/chunk", seq, NOON + time, freeze({"turn": 1, "step": 1, "chunk": chunk}))
        for seq, (chunk, time) in enumerate(zip(chunks, times, strict=False))
    ]


def lines(events: list[Event]) -> list[str]:
    return [dumps(event.to_json()) for event in events]


@given(CHUNKS, TIMES)
def test_packing_loses_nothing(chunks: list[dict[str, Any]], times: list[int]) -> None:
    events = events_of(chunks, times)
    rows = list(pack(events))
    assert lines(list(unpack(rows))) == lines(events)
    for row in rows:
        if isinstance(row, ChunkRun):
            assert len(row) >= 3
            raw = loads(dumps(row.to_json()))
            read = run_from_json(raw["seq"], raw["time"], raw["data"])
            assert lines(list(read.events())) == lines(list(row.events()))


@given(CHUNKS)
def test_a_live_log_packs_as_it_grows_and_loses_nothing(chunks: list[dict[str, Any]]) -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    made = [session.append_chunk(1, 1, freeze(chunk)) for chunk in chunks]  # type: ignore[arg-type]  # valid by shape
    assert lines(list(session.events[3:])) == lines(made)
    for start in range(3, len(session.events)):
        part = EventLog.of([*session.events.rows(0, start), *session.events.rows(start)])
        assert lines(list(part)) == lines(list(session.events))


def test_runs_of_three_and_more_are_packed() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    stream(session, "a", "b")
    stream(session, "c", "d", "e", kind="reasoning-delta", index=1)
    kinds = [type(row).__name__ for row in pack(session.events)]
    assert kinds == ["Event"] * 5 + ["ChunkRun"]


def test_a_run_ends_where_the_step_or_the_seqs_do() -> None:
    delta = {"type": "text-delta", "index": 0, "text": "x"}
    events = events_of([delta] * 6, [0] * 6)
    other = [Event(e.type, e.seq, e.time, freeze({**e.data, "step": 2})) for e in events[3:]]
    assert [len(row) for row in pack([*events[:3], *other]) if isinstance(row, ChunkRun)] == [3, 3]
    assert [type(row) for row in pack([events[0], events[2], events[4]])] == [Event] * 3


@pytest.mark.parametrize(
    "change",
    [
        {"texts": ["a", "b"]},
        {"texts": ["a", "b", 3]},
        {"dt": [1]},
        {"dt": [1, True]},
        {"kind": "block-end"},
        {"kind": "tool-call-delta"},
        {"id": "c1"},
        {"turn": "1"},
        {"more": 1},
    ],
)
def test_a_malformed_row_is_refused(change: dict[str, Any]) -> None:
    good = {"turn": 1, "step": 1, "kind": "text-delta", "index": 0, "texts": ["a", "b", "c"], "dt": [0, 1]}
    assert len(run_from_json(0, NOON, good)) == 3
    with pytest.raises(ValueError, match="wrong shape"):
        run_from_json(0, NOON, {**good, **change})


@given(st.lists(WORDS, min_size=3, max_size=9), st.integers(0, 2**70))
def test_a_sealed_run_tells_what_it_told_before(texts: list[str], time: int) -> None:
    run = start_run(7, 1, 1, _text(texts[0]), time)
    assert run is not None
    for later, text in enumerate(texts[1:], 1):
        assert run.extend(_text(text), time + later)
    before = [*run.events()]
    half = run.part(8, 10)
    row = dumps(run.to_json())
    run.seal()
    run.seal()
    assert [*run.events()] == before
    assert [*half.events()] == before[1:3] == [*run.part(8, 10).events()]
    assert dumps(run.to_json()) == row
    assert not run.extend(_text("late"), time)


def _text(words: str) -> Chunk:
    return freeze({"type": "text-delta", "index": 0, "text": words})  # type: ignore[return-value]  # valid by shape
