"""Each log check: a sound log passes, and what breaks its rule is refused before it is in the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from dsh_tui.engine.invariants import plugin as invariants_plugin
from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session import plugin as sessions_plugin
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from tests.fakes.fake_clock import FakeClock
from tests.fakes.session_logs import (
    answer,
    bare_session,
    call,
    close_turn,
    open_step,
    open_turn,
    result,
    result_data,
)

Data = Mapping[str, Any]
STEP = {"turn": 1, "step": 1}
CONFIG = {"provider": "deepseek", "model": "deepseek-flash"}
ASKED = {"id": "q1", "callId": "c1", "toolName": "read", "arguments": "{}", "reason": "why"}
DECIDED = {"id": "q1", "callId": "c1", "outcome": "rejected", "by": "user"}
RETRY = {
    "retryId": "r1", **STEP, "provider": "deepseek", "mode": "normal", "retry": 1, "maxRetries": 1,
    "delayMs": 5, "failure": {"message": "no", "code": "SERVER"},
}  # fmt: skip
STARTED = {"retryId": "r1", **STEP}


@pytest.fixture
async def session(root: Context, clock: FakeClock) -> Session:
    await root.plugin(sessions_plugin, clock)
    session = root[SESSIONS].create(id="s1")
    open_turn(session, "go")
    open_step(session)
    session.append("request/header", {"header": {"config": CONFIG}, "reason": "initial"})
    session.append("request/context", CONFIG)
    await root.plugin(invariants_plugin)  # late: it catches up from the log
    return session


def chunk(session: Session, **fields: object) -> None:
    kind = str(fields.pop("type")).replace("_", "-")
    session.append("assistant/chunk", {**STEP, "chunk": {"type": kind, **fields}})


def finish(session: Session, kind: str = "stop") -> None:
    reason: dict[str, Any] = {"kind": kind}
    if kind in ("error", "aborted"):
        reason["failure"] = {"message": "no", "code": "SERVER"}
    chunk(session, type="finish", reason=reason)


def ready_call(session: Session) -> None:
    finish(session)
    answer(session, "", "c1")
    call(session, "c1")


def refused(session: Session, owner: str, act: Callable[[], object]) -> None:
    """The act raises, names the owner, and leaves the log as it was."""
    before = list(session.events)
    with pytest.raises(InvariantError) as caught:
        act()
    assert (caught.value.owner, caught.value.code) == (owner, "INVARIANT")
    assert list(session.events) == before


async def test_a_whole_step_passes_live_and_stored(session: Session) -> None:
    finish(session, "error")
    session.append("llm/retry", RETRY)
    session.append("llm/retry-started", STARTED)
    chunk(session, type="block-start", index=0, blockType="text")
    chunk(session, type="text-delta", index=0, text="Hi")
    chunk(session, type="block-end", index=0, block={"type": "text", "text": "Hi"})
    chunk(session, type="usage", usage={})
    ready_call(session)
    session.append("approval/asked", ASKED)
    session.append("approval/decided", DECIDED)
    result(session, "c1")
    session.append("permission/mode", {"mode": "plan"})
    session.append("todo/write", {"todos": [{"content": "one", "status": "pending"}]})
    session.append("session/title", {"title": "go", "source": "fallback"})
    session.append("step/end", STEP)
    session.append("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    assert check_log(session.events) is None


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ([], {"type": "block-end", "index": 0, "block": {"type": "reasoning", "text": ""}}),
        ([], {"type": "block-start", "index": 0, "blockType": "text"}),
        ([], {"type": "reasoning-delta", "index": 0, "text": "no"}),
        (
            [{"type": "block-end", "index": 0, "block": {"type": "text", "text": "Hi"}}],
            {"type": "text-delta", "index": 0, "text": "late"},
        ),
        ([{"type": "usage", "usage": {}}], {"type": "usage", "usage": {}}),
        ([{"type": "finish", "reason": {"kind": "stop"}}], {"type": "text-delta", "index": 1, "text": "x"}),
    ],
)
async def test_a_stream_keeps_its_grammar(session: Session, first: list[Data], then: Data) -> None:
    chunk(session, type="text-delta", index=0, text="Hi")
    for fields in first:
        chunk(session, **fields)
    refused(session, "llm", lambda: chunk(session, **then))


async def test_an_answer_needs_a_complete_stream_and_cites_it(session: Session) -> None:
    chunk(session, type="text-delta", index=0, text="Hi")
    at = len(session.events) - 1
    source = {"kind": "model", "provider": "deepseek", "model": "deepseek-flash"}
    data = {**STEP, "id": "m1", "content": [], "source": source}
    refused(session, "llm", lambda: session.append("assistant/message", data, sources=[at]))
    finish(session)
    refused(session, "llm", lambda: session.append("assistant/message", data, sources=[at]))
    other = {**data, "source": {**source, "model": "other"}}
    refused(session, "request", lambda: session.append("assistant/message", other, sources=[at, at + 1]))
    session.append("assistant/message", data, sources=[at, at + 1])


async def test_headers_do_not_change_under_a_request(session: Session) -> None:
    finish(session)
    header = {"header": {"config": {**CONFIG, "model": "x"}}, "reason": "fallback"}
    refused(session, "request", lambda: session.append("request/header", header))


@pytest.mark.parametrize(
    ("sections", "tools"),
    [
        ([(0, 4), (3, 2)], []),
        ([(0, 4), (6, 9)], []),
        ([], ["read"]),
    ],
)
async def test_origins_are_those_of_parts_that_the_header_has(
    session: Session, sections: list[tuple[int, int]], tools: list[str]
) -> None:
    tool = {"name": "edit", "description": "", "parameters": {}}
    header = {"config": CONFIG, "system": "You. Me.", "tools": [tool]}
    session.append("request/header", {"header": header, "reason": "fallback"})
    who = {"plugin": "p", "load": 1}
    session.append(
        "request/origins",
        {
            "sections": [
                {"name": "a", **who, "start": 0, "length": 4},
                {"name": "b", **who, "start": 5, "length": 3},
            ],
            "tools": [{"name": "edit", **who}],
        },
    )
    data = {
        "sections": [{"name": "a", **who, "start": start, "length": length} for start, length in sections],
        "tools": [{"name": name, **who} for name in tools],
    }
    refused(session, "request", lambda: session.append("request/origins", data))


async def test_the_context_names_the_model_of_the_header(session: Session) -> None:
    session.append("request/context", {**CONFIG, "model": "x"})
    refused(session, "request", lambda: finish(session))


@pytest.mark.parametrize(
    ("owner", "tag", "data"),
    [
        ("approval", "approval/asked", {**ASKED, "callId": "c9"}),
        ("approval", "approval/decided", DECIDED),
        ("retry", "llm/retry", RETRY),
        ("retry", "llm/retry-started", STARTED),
        ("todo", "todo/write", {"todos": [{"content": "a", "status": "pending"}] * 2}),
        ("todo", "todo/write", {"todos": [{"content": "a ", "status": "pending"}]}),
        ("title", "session/title", {"title": "two\nlines", "source": "user"}),
        ("title", "session/title", {"title": "x" * 41, "source": "fallback"}),
        ("presets", "permission/mode", {"mode": "yolo"}),
        ("session", "tool/result", {**STEP, "id": "r", "callId": "c7", "content": [], "isError": False}),
    ],
)
async def test_facts_out_of_place_are_refused(session: Session, owner: str, tag: str, data: Data) -> None:
    refused(session, owner, lambda: session.append(tag, data))


async def test_a_question_is_answered_once_before_its_call_ends(session: Session) -> None:
    ready_call(session)
    session.append("approval/asked", ASKED)
    refused(session, "approval", lambda: session.append("approval/asked", ASKED))
    refused(session, "approval", lambda: result(session, "c1"))
    refused(session, "approval", lambda: session.append("approval/decided", {**DECIDED, "callId": "c2"}))
    session.append("approval/decided", DECIDED)
    refused(session, "approval", lambda: session.append("approval/decided", DECIDED))
    result(session, "c1")


RULED = {"callId": "c1", "toolName": "read", "decision": "deny", "rule": "deny read", "scope": "user"}


async def test_a_rule_decides_once_instead_of_a_question_and_what_it_denies_does_not_run(
    session: Session,
) -> None:
    refused(session, "approval", lambda: session.append("permission/decided", RULED))
    ready_call(session)
    wrong = {**RULED, "decision": "allow"}
    refused(session, "approval", lambda: session.append("permission/decided", wrong))
    session.append("permission/decided", RULED)
    refused(session, "approval", lambda: session.append("permission/decided", RULED))
    refused(session, "approval", lambda: session.append("approval/asked", ASKED))
    refused(session, "approval", lambda: result(session, "c1"))
    session.append("tool/result", {**result_data(session, "c1"), "isError": True})


@pytest.mark.parametrize(
    "more",
    [
        {"rules": ["allow read"], "scope": "user"},
        {"scope": "user"},
        {"outcome": "allowed-once", "rules": ["allow read"]},
        {"outcome": "allowed-once", "replacement": "ls"},
    ],
)
async def test_what_comes_with_an_answer_fits_it(session: Session, more: Data) -> None:
    ready_call(session)
    refused(
        session,
        "approval",
        lambda: session.append("approval/asked", {**ASKED, "place": {"index": 3, "of": 2}}),
    )
    session.append("approval/asked", {**ASKED, "place": {"index": 2, "of": 3}})
    refused(session, "approval", lambda: session.append("permission/decided", RULED))
    refused(session, "approval", lambda: session.append("approval/decided", {**DECIDED, **more}))
    session.append("approval/decided", {**DECIDED, "replacement": "ls"})


async def test_a_retry_counts_waits_and_starts_once(session: Session) -> None:
    finish(session, "error")
    refused(session, "retry", lambda: session.append("llm/retry", {**RETRY, "retry": 2}))
    session.append("llm/retry", RETRY)
    refused(session, "retry", lambda: finish(session))
    session.append("llm/retry-started", STARTED)
    refused(session, "retry", lambda: session.append("llm/retry-started", STARTED))
    finish(session, "error")
    refused(session, "retry", lambda: session.append("llm/retry", RETRY))


async def test_a_fallback_never_replaces_a_title(session: Session) -> None:
    session.append("session/title", {"title": "Mine", "source": "user"})
    late = {"title": "go", "source": "fallback"}
    refused(session, "title", lambda: session.append("session/title", late))


async def test_what_another_program_wrote_is_not_judged_by_our_companions(
    root: Context, clock: FakeClock
) -> None:
    await root.plugin(sessions_plugin, clock)
    await root.plugin(invariants_plugin)
    foreign = bare_session()
    open_turn(foreign, "go")
    open_step(foreign)
    odd = {**STEP, "chunk": {"type": "block-end", "index": 0, "block": {"type": "text", "text": ""}}}
    foreign.append("assistant/chunk", odd)
    foreign.append("session/title", {"title": "two\nlines", "source": "user"})
    close_turn(foreign)
    foreign.append("session/imported", {"from": "elsewhere", "dialect": "theirs"})
    session = root[SESSIONS].create(seed=foreign.events)
    append_idle(session, "test", "session/title", {"title": "one line", "source": "user"})
    assert check_log(session.events) is None
    open_turn(session, "more")
    open_step(session)
    step = {"turn": session.open_turn, "step": 1}
    session.append("request/header", {"header": {"config": CONFIG}, "reason": "initial"})
    session.append("request/context", CONFIG)
    session.append("assistant/chunk", {**step, "chunk": {"type": "usage", "usage": {}}})
    again = {**step, "chunk": {"type": "usage", "usage": {}}}
    refused(session, "llm", lambda: session.append("assistant/chunk", again))
