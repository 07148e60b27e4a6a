"""One-shots: requests beside the conversation, logged so that they too can be rebuilt.

Plugin. Whoever asks for a title or a summary of a live session has it logged before it leaves, and what
the provider counted for it as it comes. What such a request shares with the conversation (system prompt,
tools, its first messages) is named, not repeated: a summary shows the model the whole history once more.
Source: core spec §10; design §4 (``--all``).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import AnyRequest, OneShotRequest
from dsh_tui.engine.llm.service import LLM_STREAM, close_chunks
from dsh_tui.engine.llm.usage import Usage, usage_of
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.request_header import RequestHeader
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS, SessionStore

name = "one-shot-log"
inject = (SESSIONS,)

TAG = "request/one-shot"
USAGE_TAG = "request/usage"
_SHARED = ("system", "tools")


def apply(ctx: Context, _config: object = None) -> None:
    """Log one-shots for as long as this plugin lives."""
    sessions = ctx[SESSIONS]

    async def note(request: AnyRequest, proceed: Next[AsyncIterator[Chunk]]) -> AsyncIterator[Chunk]:
        if not isinstance(request, OneShotRequest) or request.session_id is None:
            return await proceed()
        session = sessions.get(request.session_id)
        if session is None:
            return await proceed()
        append_idle(session, "one-shot", TAG, one_shot_data(session, request))
        return _counted(await proceed(), request, session, sessions)

    ctx.on(LLM_STREAM, note, everywhere=True)


async def _counted(
    chunks: AsyncIterator[Chunk], request: OneShotRequest, session: Session, sessions: SessionStore
) -> AsyncGenerator[Chunk, None]:
    """The same chunks. The count goes to the log, unless the session ended meanwhile."""
    try:
        async for chunk in chunks:
            usage = usage_of(chunk["usage"]) if chunk["type"] == "usage" else None
            if usage is not None and sessions.get(session.id) is session:
                append_idle(session, "one-shot", USAGE_TAG, _usage_data(request, usage))
            yield chunk
    finally:
        await close_chunks(chunks)


def _usage_data(request: OneShotRequest, usage: Usage) -> dict[str, Any]:  # Any: JSON of the event
    config = request.config
    return {
        "purpose": request.purpose,
        "provider": config["provider"],
        "model": config["model"],
        "usage": usage,
    }


def one_shot_data(session: Session, request: OneShotRequest) -> dict[str, Any]:  # Any: JSON of the event
    """The request as its event says it."""
    header = session.request_header
    said: dict[str, Any] = {"config": request.config}  # Any: JSON
    inherits: list[str] = []
    for name, part in (("system", request.system), ("tools", request.tools)):
        if part and header is not None and header.get(name) == part:
            inherits.append(name)
        elif part:
            said[name] = part
    history = _shared(conversation(header, session.derive()), request.messages)
    return {
        "purpose": request.purpose,
        "header": said,
        "inherits": inherits,
        "history": history,
        "messages": request.messages[history:],
    }


def one_shot_parts(
    data: Mapping[str, Any],  # Any: JSON of the event
    header: RequestHeader | None,
    history: tuple[Message, ...],
) -> dict[str, Any]:  # Any: fields of a request
    """System, tools, config and messages of a logged one-shot, ``history`` being what was said before."""
    known: Mapping[str, Any] = header or {}
    parts = {
        name: known.get(name) if name in data["inherits"] else data["header"].get(name) for name in _SHARED
    }
    return {
        "system": parts["system"],
        "tools": parts["tools"] or (),
        "config": data["header"]["config"],
        "messages": (*conversation(header, history)[: data["history"]], *data["messages"]),
    }


def conversation(header: RequestHeader | None, history: tuple[Message, ...]) -> tuple[Message, ...]:
    """What a request of the loop would show now."""
    return (*(header.get("messagePrefix", ()) if header is not None else ()), *history)


def _shared(one: tuple[Message, ...], other: tuple[Message, ...]) -> int:
    for number, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine is not theirs and mine != theirs:
            return number
    return min(len(one), len(other))
