"""A reply: one attempt at a request, streamed into the log.

Every attempt leaves a ``finish`` chunk as its last, the provider's own or one that says how the
stream broke, so that attempts can be told apart in the log alone. A raise of an adapter is a failed
reply, not an exception. This loop runs for every token: no task, lock or copy inside it.

Source: core spec §8.3.8; capabilities A2.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.chunks import Chunk, Failed, Failure, Finish
from dsh_tui.engine.llm.request import Departure, ModelRequest
from dsh_tui.engine.llm.service import LlmService
from dsh_tui.engine.session.session import Session

_log = logging.getLogger(__name__)


class Reply:
    """What one attempt brought: its chunks in the log, its blocks in the assembler."""

    def __init__(self, session: Session, turn: int, step: int, departure: Departure) -> None:
        self.assembler = Assembler()
        self.chunk_seqs: list[int] = []
        self._session, self._turn, self._step = session, turn, step
        self._departure = departure

    @property
    def failure(self) -> Failure | None:
        """Why there is no answer; None for a complete one."""
        finish = self.assembler.finish
        if finish is not None and (finish["kind"] == "error" or finish["kind"] == "aborted"):
            return finish["failure"]
        return None

    @property
    def truncated(self) -> bool:
        """The answer hit the token limit."""
        return self.assembler.finish is not None and self.assembler.finish["kind"] == "max-tokens"

    async def read(self, stream: AsyncGenerator[Chunk, None], signal: CancelSignal) -> None:
        """Log every chunk until the stream ends or the signal fires."""
        append, add, note = self._session.append_chunk, self.assembler.add, self.chunk_seqs.append
        turn, step = self._turn, self._step
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                if signal.cancelled:
                    return
                add(chunk)  # first: what is no chunk must not enter the log
                note(append(turn, step, chunk).seq)

    def end(self, kind: Literal["aborted", "error"], code: str, message: str) -> None:
        """Log how the stream broke; nothing if it has ended by itself."""
        if self.assembler.finish is not None:
            return
        failure = Failure(message=message, code=code)
        if not self._departure.left and not self.chunk_seqs:
            failure["unsent"] = True
        chunk = freeze(Finish(type="finish", reason=Failed(kind=kind, failure=failure)))
        self.chunk_seqs.append(self._session.append_chunk(self._turn, self._step, chunk).seq)
        self.assembler.add(chunk)


async def stream_reply(
    llm: LlmService, request: ModelRequest, session: Session, turn: int, step: int
) -> Reply:
    """Send the request and log what comes, until it ends or the signal fires."""
    request.departure.left = False
    reply, signal = Reply(session, turn, step, request.departure), request.signal
    try:
        await signal.race(reply.read(llm.stream(request), signal))
    except Cancelled:
        pass  # said below
    except asyncio.CancelledError:
        reply.end("aborted", "ABORTED", "the program is ending")
        raise
    except Exception as error:  # noqa: BLE001  # whatever breaks a stream is that attempt's failure
        _log.warning("%s: turn %s step %s: the stream broke", session.id, turn, step, exc_info=error)
        reply.end(
            "error", error.code if isinstance(error, HarnessError) else "STREAM_ERROR", error_chain(error)
        )
    if signal.cancelled:
        reply.end("aborted", "ABORTED", signal.reason)
    reply.end("error", "STREAM_CLOSED", "the stream ended without saying that it was complete")
    return reply
