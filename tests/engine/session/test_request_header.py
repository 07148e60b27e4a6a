from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.session.errors import RequestHeaderError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import (
    RequestHeader,
    apply_delta,
    canonical_header,
    fold_header,
    make_delta,
    same_header,
)
from tests.fakes.session_logs import bare_session, open_turn

CONFIG = {"provider": "deepseek", "model": "deepseek-flash"}


def tool(name: str, words: str = "does things") -> dict[str, Any]:
    return {"name": name, "description": words, "parameters": {"type": "object", "properties": {}}}


def header(**parts: Any) -> RequestHeader:
    return canonical_header({"config": CONFIG, **parts})


def test_empty_parts_are_absent() -> None:
    assert header(system="", tools=[], messagePrefix=[]) == {"config": CONFIG}


def test_key_order_tells_headers_apart() -> None:
    one = {"name": "t", "description": "d", "parameters": {"a": 1, "b": 2}}
    other = {"name": "t", "description": "d", "parameters": {"b": 2, "a": 1}}
    assert header(tools=[one]) == header(tools=[other])
    assert not same_header(header(tools=[one]), header(tools=[other]))
    delta = make_delta(header(tools=[one]), header(tools=[other]))
    assert delta is not None
    assert dumps(delta["tools"]["changed"]) == dumps([other])


def test_a_delta_names_only_what_changed() -> None:
    old = header(system="one\ntwo\nthree\nfour", tools=[tool("bash"), tool("read")])
    new = header(system="one\n2\n3\nfour", tools=[tool("bash"), tool("read", "new"), tool("write")])
    delta = make_delta(old, new)
    assert delta == {
        "system": {"keepStart": 1, "keepEnd": 1, "insert": ("2", "3")},
        "tools": {"added": (tool("write"),), "removed": (), "changed": (tool("read", "new"),)},
    }


def test_reordered_tools_have_no_delta() -> None:
    assert make_delta(header(tools=[tool("a"), tool("b")]), header(tools=[tool("b"), tool("a")])) is None


def test_equal_headers_have_no_delta() -> None:
    assert make_delta(header(system="x"), header(system="x")) is None


def test_a_delta_that_does_not_fit_is_corrupt() -> None:
    with pytest.raises(RequestHeaderError, match="keeps 3 lines of 1"):
        apply_delta(header(system="x"), {"system": {"keepStart": 3, "keepEnd": 0, "insert": []}})
    with pytest.raises(RequestHeaderError, match="do not fit"):
        apply_delta(header(), {"tools": {"added": [], "removed": ["bash"], "changed": []}})
    with pytest.raises(RequestHeaderError, match="without a header before it"):
        fold_header(None, Event("request/header-delta", 3, 0, freeze({"config": CONFIG})))


def test_a_session_folds_its_header_as_it_grows_and_when_it_is_seeded() -> None:
    session = bare_session()
    open_turn(session, "hello")
    session.append("request/header", {"header": {"system": "be kind", "config": CONFIG}, "reason": "initial"})
    old = session.request_header
    assert old == header(system="be kind")
    new = header(system="be kind\nand brief", tools=[tool("bash")])
    delta = make_delta(old, new)
    assert delta is not None
    session.append("request/header-delta", delta)
    assert session.request_header is not None
    assert same_header(session.request_header, new)
    again = bare_session("s2", seed=session.events)
    assert again.request_header is not None
    assert same_header(again.request_header, new)


def test_a_bad_delta_is_refused_before_it_is_logged() -> None:
    session = bare_session()
    open_turn(session, "hello")
    length = len(session.events)
    with pytest.raises(RequestHeaderError):
        session.append("request/header-delta", {"config": CONFIG})
    assert len(session.events) == length


NAMES = st.lists(st.sampled_from("abcde"), unique=True, max_size=5)
LINES = st.none() | st.text(alphabet="ab\n\r ", max_size=12)
HEADERS = st.builds(
    lambda system, names, words, prefix, model: canonical_header(
        {
            "config": {"provider": "p", "model": model},
            "system": system,
            "tools": [tool(name, words) for name in names],
            "messagePrefix": [{"id": "p", "role": "user", "content": [], "source": {"kind": prefix}}]
            * bool(prefix),
        }
    ),
    LINES,
    NAMES,
    st.sampled_from(["one", "two"]),
    st.sampled_from(["", "user", "plugin"]),
    st.sampled_from(["m", "n"]),
)


@given(HEADERS, HEADERS)
def test_a_delta_gives_the_new_bytes_or_there_is_none(old: RequestHeader, new: RequestHeader) -> None:
    delta = make_delta(old, new)
    if delta is None:
        kept = [each["name"] for each in old.get("tools", ())]
        assert same_header(old, new) or [each["name"] for each in new.get("tools", ())] != kept
        return
    assert dumps(apply_delta(old, delta)) == dumps(new)
