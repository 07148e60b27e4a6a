"""A reply: one attempt at a request, streamed into the log.

Every attempt leaves a ``finish`` chunk as its last, the provider's own or one that says how the
stream broke, so that attempts can be told apart in the log alone. A raise of an adapter is a failed
reply, not an exception. This loop runs for every token: no task, lock or copy inside it.

Source: core spec §8.3.8; capabilities A2.
"""

from __future__ import annotations

import logging
from contextlib import aclosing
from dataclasses import dataclass, field

from dsh_tui.engine.base.cancel import Cancelled
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.chunks import Failed, Failure, Finish
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.llm.service import LlmService
from dsh_tui.engine.session.session import Session

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Reply:
    """What one attempt brought: chunks in the log, blocks in the assembler, and how it ended."""

    assembler: Assembler = field(default_factory=Assembler)
    chunk_seqs: list[int] = field(default_factory=list)
    failure: Failure | None = None
    """Why there is no answer; None for a complete one."""


async def stream_reply(
    llm: LlmService, request: ModelRequest, session: Session, turn: int, step: int
) -> Reply:
    """Send the request and log what comes, until it ends or the signal fires."""
    reply = Reply()
    append, add, seqs, signal = session.append_chunk, reply.assembler.add, reply.chunk_seqs, request.signal

    async def consume() -> None:
        async with aclosing(llm.stream(request)) as chunks:
            async for chunk in chunks:
                if signal.cancelled:
                    return
                seqs.append(append(turn, step, chunk).seq)
                add(chunk)

    broken: Failed | None = None
    try:
        await signal.race(consume())
    except Cancelled:
        pass
    except Exception as error:  # noqa: BLE001  # whatever a provider raises is that attempt's failure
        _log.debug("%s: turn %s step %s: the stream raised", session.id, turn, step, exc_info=error)
        broken = _failed(
            "error", error_chain(error), error.code if isinstance(error, HarnessError) else "STREAM_ERROR"
        )
    if reply.assembler.finish is None:
        if broken is None and signal.cancelled:
            broken = _failed("aborted", signal.reason, "ABORTED")
        ending = broken or _failed(
            "error", "the stream ended without saying that it was complete", "STREAM_CLOSED"
        )
        chunk = freeze(Finish(type="finish", reason=ending))
        seqs.append(append(turn, step, chunk).seq)
        add(chunk)
    finish = reply.assembler.finish
    if finish is not None and (finish["kind"] == "error" or finish["kind"] == "aborted"):
        reply.failure = finish["failure"]
    return reply


def _failed(kind: str, message: str, code: str) -> Failed:
    return freeze(
        Failed(kind="aborted" if kind == "aborted" else "error", failure=Failure(message=message, code=code))
    )
