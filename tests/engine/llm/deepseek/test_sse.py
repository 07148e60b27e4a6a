"""Server-sent events: the same events for every way of cutting the bytes into reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.llm.deepseek.sse import EventReader


def events(reads: Iterable[bytes]) -> list[str]:
    reader = EventReader()
    found = [event for read in reads for event in reader.feed(read)]
    return found + reader.close()


def bytewise(body: bytes) -> list[bytes]:
    return [body[index : index + 1] for index in range(len(body))]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data: {\ndata: }\n\n", ["{\n}"]),
        (b": keep-alive\n\n\n\n: x\ndata: a\n: y\ndata: b\n\n", ["a\nb"]),
        (b"id: 7\ndata: a\n\n\n\n: c\n\ndata: b\n\n", ["a", "b"]),
        (b"event: message\nretry: 10\nunknown: x\ndata: a\n\n", ["a"]),
        ("data: \u4e2d\U0001f469\u2028x\x85y\n\n".encode(), ["\u4e2d\U0001f469\u2028x\x85y"]),
        (b"data: a\n\ndata: cut", ["a", "cut"]),
        (b"data: bad \xff byte\n\n", ["bad \ufffd byte"]),
        (b"", []),
        (b"\xef", []),
    ],
)
def test_events_come_out_the_same_whole_and_byte_by_byte(body: bytes, expected: list[str]) -> None:
    assert events([body]) == expected
    assert events(bytewise(body)) == expected


def test_an_event_with_lone_cr_ends_does_not_wait_for_the_next_byte() -> None:
    reader = EventReader()
    assert reader.feed(b"data: a\r\r") == ["a"]
    assert reader.feed(b"data: b\r") == []
    assert reader.feed(b"\r") == ["b"]


def test_a_crlf_that_is_cut_is_one_line_end() -> None:
    reader = EventReader()
    assert reader.feed(b"data: {\r") == []
    assert reader.feed(b"\ndata: }\r\n\r") == ["{\n}"]
    assert reader.feed(b"\n") == []


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), min_size=1), max_size=6
    ),
    st.sampled_from(["\n", "\r", "\r\n"]),
    st.lists(st.integers(0, 400), max_size=8),
)
def test_no_cut_changes_what_is_read(texts: list[str], line_end: str, cuts: list[int]) -> None:
    body = "".join(f"data: {text}{line_end}{line_end}" for text in texts).encode()
    edges = [0, *sorted(cut for cut in cuts if cut <= len(body)), len(body)]
    assert events(body[start:end] for start, end in itertools.pairwise(edges)) == texts


def test_a_long_line_in_many_reads_costs_no_more_than_its_length() -> None:
    reader = EventReader()
    for _ in range(20_000):
        assert reader.feed(b"x" * 100) == []
    assert reader.feed(b"\n\n") == []
