from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.session.derive import Derivation, project
from dsh_tui.engine.session.errors import SurfaceError
from dsh_tui.engine.session.event import SurfaceOp
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.surface import Surface
from tests.fakes.session_logs import (
    USER,
    answer,
    bare_session,
    call,
    close_turn,
    open_step,
    open_turn,
    result,
    result_data,
    stream,
    text,
    whole_turn,
)


def replace(start: int, end: int) -> SurfaceOp:
    return {"op": "replace", "start": start, "end": end}


def context(words: str, message_id: str = "c") -> dict[str, Any]:
    return {"id": message_id, "content": text(words), "source": {"kind": "plugin", "plugin": "p"}}


def two_turns() -> Session:
    session = bare_session()
    whole_turn(session, "one", "first")
    whole_turn(session, "two", "second")
    open_turn(session, "three")
    return session


def test_messages_are_the_surface_in_order() -> None:
    session = bare_session()
    open_turn(session, "read it")
    open_step(session)
    stream(session, "sure")
    answer(session, "sure", "c1")
    call(session, "c1")
    result(session, "c1", "80 lines")
    user, assistant, tool = session.derive()
    assert (user["role"], assistant["role"], tool["role"]) == ("user", "assistant", "user")
    assert user["content"] is session.events[1].data["content"]
    assert tool == {
        "id": "r-c1",
        "role": "user",
        "content": ({"type": "tool-result", "toolCallId": "c1", "content": tuple(text("80 lines"))},),
        "source": {"kind": "tool", "callId": "c1"},
    }


def test_a_failed_result_says_so_and_an_empty_answer_says_nothing() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    answer(session, "")
    session.append("tool/result", {**result_data(session, "c1"), "isError": True})
    assert [message["id"] for message in session.derive()] == ["u1", "r-c1"]
    assert session.derive()[1]["content"][0]["isError"] is True  # type: ignore[typeddict-item]  # a result block


def test_messages_are_shared_between_derivations() -> None:
    session = two_turns()
    before = session.derive()
    whole = session.append("context/message", context("more"))
    after = session.derive()
    assert all(old is new for old, new in zip(before, after, strict=False))
    session.append(
        "context/message",
        context("short", "k"),
        surface=replace(0, 1),
        sources=[session.surface[0].seq, 5, 3],
    )
    assert session.derive()[1:] == after[2:]
    assert session.derive()[1] is after[2]
    assert whole.surface_op == {"op": "append"}


def test_a_replace_takes_the_place_of_its_span() -> None:
    session = two_turns()
    spanned = [node.seq for node in session.surface[0:4]]
    session.append("context/message", context("summary"), surface=replace(0, 3), sources=spanned)
    assert [message["id"] for message in session.derive()] == ["c", "u3"]
    assert session.replace_generation == 1
    assert [node.seq for node in session.surface] == [len(session.events) - 1, len(session.events) - 2]


@pytest.mark.parametrize(
    ("tag", "surface", "sources", "words"),
    [
        ("todo/write", {"op": "append"}, None, "takes no surface marker"),
        ("todo/write", None, [0], "takes no surface marker"),
        ("context/message", {"op": "drop"}, None, "append, or replace"),
        ("context/message", {"op": "replace", "start": 0}, None, "append, or replace"),
        ("context/message", replace(0, 9), [1], "cannot replace 0..9 of 5"),
        ("context/message", replace(3, 2), [1], "cannot replace"),
        ("context/message", replace(-1, 0), [1], "cannot replace"),
        ("context/message", replace(0, 1), [1], "is missing"),
        ("context/message", None, [], "at least one"),
        ("context/message", None, [1, 1], "cited twice"),
        ("context/message", None, [99], "earlier than"),
        ("context/message", None, [-1], "earlier than"),
        ("context/message", None, [True], "seqs"),
    ],
)
def test_broken_surface_rules_change_nothing(
    tag: str, surface: Any, sources: list[int] | None, words: str
) -> None:
    session = two_turns()
    before = (len(session.events), session.derive())
    data = {"todos": []} if tag == "todo/write" else context("x")
    with pytest.raises(SurfaceError, match=words):
        session.append(tag, data, surface=surface, sources=sources)
    assert (len(session.events), session.derive()) == before


def test_only_an_assistant_message_may_cite_an_empty_stream() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    data = answer_data(session)
    assert session.append("assistant/message", data, sources=[]).source_event_seqs == ()


def answer_data(session: Session) -> dict[str, Any]:
    source = {"kind": "model", "provider": "p", "model": "m"}
    return {"turn": session.open_turn, "step": session.open_step, "id": "a", "content": [], "source": source}


def test_a_result_is_rewritten_in_content_only() -> None:
    session = bare_session()
    open_turn(session, "go")
    open_step(session)
    answer(session, "", "c1", "c2")
    first = result(session, "c1", "a long story")
    second = result(session, "c2")
    close_turn(session)
    open_turn(session, "next")
    data = {**first.data, "content": text("cut")}
    with pytest.raises(SurfaceError, match="content only, not isError"):
        session.append("tool/result", {**data, "isError": True}, surface=replace(2, 2), sources=[first.seq])
    with pytest.raises(SurfaceError, match="exactly one"):
        session.append("tool/result", data, surface=replace(2, 3), sources=[first.seq, second.seq])
    with pytest.raises(SurfaceError, match="exactly one"):
        session.append("tool/result", data, surface=replace(0, 0), sources=[1])
    session.append("tool/result", data, surface=replace(2, 2), sources=[first.seq])
    rewritten = session.derive()[2]["content"][0]
    assert rewritten["content"] == tuple(text("cut"))  # type: ignore[typeddict-item]  # a result block


Edit = tuple[str, int, int]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["append", "replace", "noise", "derive"]), st.integers(0, 9), st.integers(0, 9)
    ),
    max_size=40,
)


@given(EDITS)
def test_deriving_step_by_step_equals_deriving_at_once(edits: list[Edit]) -> None:
    session = bare_session()
    session.append("turn/start", {"turn": 1, "trigger": USER})
    for number, (what, one, other) in enumerate(edits):
        nodes = session.surface
        start, end = sorted((one, other))
        if what == "replace" and end < len(nodes):
            session.append(
                "context/message",
                context(f"sum {number}", f"m{number}"),
                surface=replace(start, end),
                sources=[node.seq for node in nodes[start : end + 1]],
            )
        elif what == "noise":
            session.append("todo/write", {"todos": []})
        elif what == "derive":
            session.derive()
        else:
            session.append("user/message", {**context(f"text {number}", f"m{number}"), "source": USER})
    surface = Surface()
    for event in session.events:
        surface.commit(event)
    at_once = Derivation(surface).messages()
    assert session.derive() == at_once == session.derive()
    assert at_once == tuple(message for node in session.surface if (message := project(node)) is not None)
    replayed = bare_session("s2", seed=session.events)
    assert replayed.derive() == at_once
    assert replayed.replace_generation == session.replace_generation
