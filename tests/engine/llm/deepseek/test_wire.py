"""The request body: deterministic, and nothing in it that the API would refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.llm.deepseek.wire import body_bytes, request_body
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import OneShotRequest
from tests.fakes.requests import BASH, assistant, request, result, user
from tests.fakes.strict_api import refusal

CASE = Path(__file__).resolve().parents[4] / "../shared/cases/history/s01-dangling-call.json"
LS = ("c1", "bash", '{"command":"ls"}')


def sent(*messages: Message, **fields: Any) -> Any:
    body = json.loads(body_bytes(request(*messages, **fields)))
    assert refusal(body) is None
    return body


def test_the_body_has_all_that_is_always_sent_and_no_nulls() -> None:
    assert sent(user("hi")) == {
        "model": "deepseek-flash",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "thinking": {"type": "enabled"},
        "reasoning_effort": "high",
    }


def test_options_go_where_the_api_wants_them() -> None:
    body = sent(
        user("hi"),
        system="Be brief.",
        tools=(BASH,),
        temperature=0.5,
        maxTokens=9,
        stop=["x"],
        reasoningEffort="max",
    )
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["tools"] == [{"type": "function", "function": BASH}]
    assert (body["temperature"], body["max_tokens"], body["stop"]) == (0.5, 9, ["x"])
    assert body["reasoning_effort"] == "max"


def test_effort_off_disables_thinking_and_names_no_effort() -> None:
    body = sent(user("hi"), reasoningEffort="off")
    assert body["thinking"] == {"type": "disabled"}
    assert "reasoning_effort" not in body


def test_a_title_is_never_thought_about() -> None:
    loop = request(user("hi"))
    one_shot = OneShotRequest(
        config=loop.config, messages=loop.messages, purpose="session-title", signal=CancelSignal()
    )
    assert request_body(one_shot)["thinking"] == {"type": "disabled"}


def test_a_turn_with_calls_is_replayed_with_its_reasoning_and_its_results_in_order() -> None:
    two = ("c2", "bash", "{}")
    body = sent(
        user("q"),
        assistant("On it.", reasoning="think", calls=[LS, two]),
        result("c2", "two"),
        result("c1", ""),
        assistant("Done."),
        user("thanks"),
    )
    assert body["messages"][1] == {
        "role": "assistant",
        "content": "On it.",
        "reasoning_content": "think",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}},
            {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
        ],
    }
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": "(no output)"}
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "c2", "content": "two"}
    assert body["messages"][4] == {"role": "assistant", "content": "Done."}


def test_a_turn_with_calls_but_no_reasoning_sends_it_empty_only_while_thinking() -> None:
    history = (user("q"), assistant(calls=[LS]), result("c1", "ok"))
    assert sent(*history)["messages"][1]["reasoning_content"] == ""
    assert "reasoning_content" not in sent(*history, reasoningEffort="off")["messages"][1]


def test_empty_content_is_an_empty_string_never_null() -> None:
    body = sent(user("q"), assistant(reasoning="only thought"), user("go on"))
    assert body["messages"][1] == {"role": "assistant", "content": "", "reasoning_content": "only thought"}


@pytest.mark.parametrize(
    "history",
    [
        (user("a"), assistant(calls=[LS]), user("go on")),
        (user("a"), assistant(calls=[LS, ("c2", "bash", "{}")]), result("c2", "x"), user("go on")),
        (user("a"), result("ghost", "x"), user("b")),
        (user("a"), assistant(calls=[LS]), user("steer"), result("c1", "late"), user("b")),
        (user("a"), assistant(calls=[LS]), result("c1", "1"), result("c1", "again"), user("b")),
        (user("a"), assistant(calls=[("c1", "fs.read file!", "{}")]), result("c1", "1")),
        (user("a"), assistant(calls=[("c1", "", "")]), result("c1", "1")),
        (user("lone \ud83d half"), assistant("\udc00"), user("b")),
    ],
)
def test_a_damaged_history_is_mended_for_the_request(history: tuple[Message, ...]) -> None:
    sent(*history)


def test_a_lost_result_says_that_the_call_may_have_run() -> None:
    body = sent(user("a"), assistant(calls=[LS]), user("go on"))
    assert body["messages"][2]["tool_call_id"] == "c1"
    assert "may have run in part" in body["messages"][2]["content"]


def test_the_same_request_gives_the_same_bytes() -> None:
    made = request(user("中文 \x9b\u2028"), assistant("ok", calls=[LS]), result("c1", "r"), tools=(BASH,))
    again = request(user("中文 \x9b\u2028"), assistant("ok", calls=[LS]), result("c1", "r"), tools=(BASH,))
    assert body_bytes(made) == body_bytes(again)
    assert "中文".encode() in body_bytes(made)


def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter_one() -> None:
    short = body_bytes(request(user("a"), assistant("b"), user("c")))
    long = body_bytes(request(user("a"), assistant("b"), user("c"), assistant("d"), user("e")))
    shared = short[: short.rindex(b"]", 0, short.index(b'"stream"'))]
    assert long.startswith(shared)


_IDS = st.sampled_from(["c1", "c2", "c3"])
_MESSAGES = st.one_of(
    st.builds(user, st.text(min_size=1, max_size=5)),
    st.builds(result, _IDS, st.text(max_size=5)),
    st.builds(
        assistant,
        st.text(max_size=5),
        calls=st.lists(_IDS, max_size=3, unique=True).map(lambda ids: [(i, "bash", "{}") for i in ids]),
    ),
)


@given(st.lists(_MESSAGES, max_size=12))
def test_no_history_makes_a_request_that_the_api_refuses(history: list[Message]) -> None:
    sent(*history, user("last"))


@pytest.mark.skipif(not CASE.exists(), reason="the cases are not here")
@pytest.mark.parametrize(
    "case", json.loads(CASE.read_text())["cases"] if CASE.exists() else [], ids=lambda c: c["name"]
)
def test_published_histories_are_sent_as_they_say(case: dict[str, Any]) -> None:
    history: list[Message] = []
    for stored in case["stored"]:
        calls = [
            (c["id"], c["function"]["name"], c["function"]["arguments"]) for c in stored.get("tool_calls", ())
        ]
        made = (
            user(stored["content"])
            if stored["role"] == "user"
            else assistant(stored["content"] or "", calls=calls)
        )
        history.append(made)
    if "new_user" in case:
        history.append(user(case["new_user"]))
    messages = sent(*history)["messages"]
    expected = case["expect"]
    assert [m["role"] for m in messages] == [m["role"] for m in expected]
    for message, wanted in zip(messages, expected, strict=True):
        if wanted["role"] == "tool":
            assert message["tool_call_id"] == wanted["tool_call_id"]
            assert "may have run in part" in message["content"]
        else:
            assert (message["content"], message.get("tool_calls")) == (
                wanted["content"] or "",
                wanted.get("tool_calls"),
            )
