"""Sessions with something in them, for tests that need a log and do not care how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from tests.fakes.fake_clock import FakeClock

USER = {"kind": "user"}
MODEL = {"kind": "model", "provider": "deepseek", "model": "deepseek-flash"}
NOON = 1_760_000_000_000


def bare_session(
    session_id: str = "s1",
    *,
    cwd: str = "/work/app",
    seed: Sequence[Event] | None = None,
    clock: Clock | None = None,
) -> Session:
    """A session that nobody listens to."""
    header = new_header(session_id, NOON, {"cwd": cwd})
    return Session(header, clock=clock or FakeClock(NOON), seed=seed)


def text(words: str) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": words}]


def open_turn(session: Session, prompt: str) -> int:
    """Begin a turn with a prompt; its number."""
    turn = session.last_turn + 1
    session.append("turn/start", {"turn": turn, "trigger": {"kind": "message", "source": USER}})
    session.append("user/message", {"id": f"u{turn}", "content": text(prompt), "source": USER})
    return turn


def open_step(session: Session, step: int = 1) -> None:
    session.append("step/start", {"turn": session.open_turn, "step": step})


def stream(session: Session, *deltas: str, kind: str = "text-delta", index: int = 0) -> None:
    for delta in deltas:
        chunk: Chunk = freeze({"type": kind, "index": index, "text": delta})  # type: ignore[assignment]  # valid by shape
        assert session.open_turn is not None
        assert session.open_step is not None
        session.append_chunk(session.open_turn, session.open_step, chunk)


def answer(session: Session, words: str, *calls: str) -> Event:
    """An assistant message in the open step, asking for calls of ``read``."""
    content = [
        *(text(words) if words else []),
        *({"type": "tool-call", "id": call, "name": "read", "arguments": "{}"} for call in calls),
    ]
    turn, step = session.open_turn, session.open_step
    data = {"turn": turn, "step": step, "id": f"a{turn}.{step}", "content": content, "source": MODEL}
    return session.append("assistant/message", data)


def call(session: Session, call_id: str) -> Event:
    turn, step = session.open_turn, session.open_step
    data = {"turn": turn, "step": step, "callId": call_id, "name": "read", "arguments": "{}"}
    return session.append("tool/call", data)


def result(session: Session, call_id: str, words: str = "ok") -> Event:
    return session.append("tool/result", result_data(session, call_id, words))


def result_data(session: Session, call_id: str, words: str = "ok") -> dict[str, Any]:
    return {
        "turn": session.open_turn,
        "step": session.open_step,
        "id": f"r-{call_id}",
        "callId": call_id,
        "content": text(words),
        "isError": False,
    }


def close_turn(session: Session, kind: str = "completed") -> None:
    if session.open_step is not None:
        session.append("step/end", {"turn": session.open_turn, "step": session.open_step})
    session.append("turn/end", {"turn": session.open_turn, "reason": {"kind": kind}})


def whole_turn(session: Session, prompt: str, reply: str, *deltas: str) -> None:
    """A finished turn of one step."""
    open_turn(session, prompt)
    open_step(session)
    stream(session, *deltas)
    answer(session, reply)
    close_turn(session)
