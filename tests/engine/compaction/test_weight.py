"""How full the window is: what the provider counted, and an estimate of the rest."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.compaction.weight import Scale, header_tokens
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import MODEL, USER, answer, bare_session, close_turn, open_step, open_turn, text


def head() -> int:
    return 1_000


def counted_answer(session: Session, tokens: object) -> None:
    usage = {"inputTokens": tokens, "outputTokens": 50}
    data = {"turn": session.open_turn, "step": session.open_step, "id": f"a{len(session.events)}"}
    session.append("assistant/message", {**data, "content": text("said"), "source": MODEL, "usage": usage})


def shorten_first(session: Session) -> None:
    first = session.surface[0]
    session.append(
        "context/message",
        {"id": "c1", "content": text("short"), "source": {"kind": "plugin", "plugin": "test"}},
        surface={"op": "replace", "start": 0, "end": 0},
        sources=(first.seq,),
    )


def test_only_what_came_since_the_last_count_is_estimated() -> None:
    session, scale = bare_session(), Scale()
    open_turn(session, "x" * 1_000)
    open_step(session)
    assert scale.used(session, head) == 1_300
    counted_answer(session, 5_000)
    assert scale.used(session, head) == 5_050
    close_turn(session)
    open_turn(session, "y" * 100)
    assert scale.used(session, head) == 5_080


def test_a_count_that_is_none_is_estimated_as_if_it_were_not_there() -> None:
    session, scale = bare_session(), Scale()
    open_turn(session, "x" * 1_000)
    open_step(session)
    counted_answer(session, "5000")
    assert scale.used(session, head) == 1_300 + 1


def test_what_was_counted_before_something_was_replaced_counts_no_more() -> None:
    session, scale = bare_session(), Scale()
    open_turn(session, "x" * 1_000)
    open_step(session)
    counted_answer(session, 5_000)
    shorten_first(session)
    assert scale.used(session, head) == 1_000 + sum(scale.weigh(session)) < 1_010


def test_the_head_of_the_last_request_is_its_prompt_tools_and_prefix() -> None:
    prefix: Any = {"id": "p", "role": "user", "content": text("z" * 20), "source": USER}
    tool: Any = {"name": "look", "description": "d" * 40, "parameters": {"type": "object"}}
    header: Any = {"config": {}, "system": "s" * 100, "tools": [tool], "messagePrefix": [prefix]}
    assert header_tokens(header) > 30 + 12 + 6
    assert header_tokens({"config": header["config"]}) == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["turn", "answer", "counted", "replace"]), max_size=12))
def test_what_is_weighed_step_by_step_is_what_is_weighed_at_once(actions: list[str]) -> None:
    session, scale = bare_session(), Scale()
    for number, action in enumerate(actions):
        if action == "turn":
            open_turn(session, "长" * number)
            close_turn(session)
        elif action == "answer":
            open_turn(session, "go")
            open_step(session)
            answer(session, "w" * 10 * number)
            close_turn(session)
        elif action == "counted":
            open_turn(session, "go")
            open_step(session)
            counted_answer(session, 1_000 * number)
            close_turn(session)
        elif session.surface:
            open_turn(session, "and")
            shorten_first(session)
            close_turn(session)
        assert scale.weigh(session) == Scale().weigh(session)
        assert scale.used(session, head) == Scale().used(session, head)
