"""The request for a summary: the conversation's own prefix, and one instruction behind it.

System prompt, tools and messages are those of the last request, so the provider has nearly all of it in
its cache. Asked again after a failure as any other request; logged by `loop.one_shots` as it leaves.
Source: core spec §10; capabilities A4.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.compaction.checkpoint import PLUGIN, SOURCE
from dsh_tui.engine.compaction.errors import TOO_LONG, HistoryTooLongError, SummaryError
from dsh_tui.engine.compaction.plan import Plan
from dsh_tui.engine.llm.assembler import Assembler
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.chunks import Failure
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.llm.messages import Message, as_content
from dsh_tui.engine.llm.request import OneShotRequest
from dsh_tui.engine.llm.retry.policy import RetryPolicy
from dsh_tui.engine.llm.service import LlmService
from dsh_tui.engine.session.session import Session

MOST_TOKENS = 65_536
_LEAST_TOKENS = 1_024
_INSTRUCTION = """\
Stop here for a moment. Everything above this message is about to leave the conversation, and what you \
write now takes its place: notes to yourself, from which you can go on without it. Do not call any tool \
and do not go on with the task; answer with the notes alone, in the person's language.

Write down:
- what the person asked for, and every wish and limit that still holds, in their own words where those matter;
- what was done and decided, and why;
- files, commands and places that matter, with exact paths and names, and what was found there;
- what failed, and how it was solved;
- what is not finished, and the very next step."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How the model is asked: its service, when to try again, and the clock that waits."""

    llm: LlmService
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Clock = SYSTEM_CLOCK

    async def summary(self, request: OneShotRequest, waits: Callable[[Failure, int, int], object]) -> str:
        """The text of the answer. ``waits`` is told each failure, its number and the wait in ms after it.

        Raises:
            HistoryTooLongError: the model takes no request of this length.
            SummaryError: there is none, or not all of it.
            Cancelled: the request's signal fired.
        """
        attempt = 0
        while True:
            attempt += 1
            reply, failure = await self._answer(request)
            if failure is None:
                return _text(reply)
            delay = self.policy.delay_ms(failure, attempt)
            if delay is None:
                raise (HistoryTooLongError if failure["code"] == TOO_LONG else SummaryError)(
                    failure["message"]
                )
            waits(failure, attempt, delay)
            await request.signal.race(self.clock.sleep(delay / 1000))

    async def _answer(self, request: OneShotRequest) -> tuple[Assembler, Failure | None]:
        reply = Assembler()

        async def read() -> None:
            async with aclosing(self.llm.stream(request)) as chunks:
                async for chunk in chunks:
                    reply.add(chunk)

        try:
            await request.signal.race(read())
        except Cancelled:
            raise
        except HarnessError as error:
            return reply, Failure(message=error.message, code=error.code)
        except Exception as error:  # noqa: BLE001  # whatever breaks a stream is that attempt's failure
            _log.warning("%s: the stream of a summary broke", request.session_id, exc_info=error)
            return reply, Failure(message=error_chain(error), code="STREAM_ERROR")
        request.signal.check()
        finish = reply.finish
        if finish is None:
            return reply, Failure(message="the stream ended early", code="STREAM_CLOSED")
        if finish["kind"] == "error" or finish["kind"] == "aborted":
            return reply, finish["failure"]
        return reply, None


def summary_request(
    session: Session, plan: Plan, keep: str, retain: float, window: int | None, signal: CancelSignal
) -> OneShotRequest:
    """The request, on the route of the last one: there its prefix is in the cache.

    Raises:
        SummaryError: nothing was asked yet.
    """
    header = session.request_header
    if header is None:
        raise SummaryError("nothing was asked yet, so there is no model to ask for a summary")
    most = min(MOST_TOKENS, max(_LEAST_TOKENS, int(retain * window))) if window else MOST_TOKENS
    config: CallConfig = {**header["config"], "maxTokens": min(most, header["config"].get("maxTokens", most))}
    text = f"{_INSTRUCTION}\n\nKeep in mind above all: {keep}" if keep else _INSTRUCTION
    message: Message = {"id": new_id("msg"), "role": "user", "content": as_content(text), "source": SOURCE}
    return OneShotRequest(
        config=freeze(config),
        messages=(*header.get("messagePrefix", ()), *plan.messages, freeze(message)),
        system=header.get("system"),
        tools=header.get("tools", ()),
        session_id=session.id,
        purpose=PLUGIN,
        signal=signal,
    )


def _text(reply: Assembler) -> str:
    finish = reply.finish
    if finish is not None and finish["kind"] == "max-tokens":
        raise SummaryError("the summary was cut at the model's output limit")
    text = text_of(reply.blocks()).strip()
    if not text:
        raise SummaryError("the model gave no summary")
    return text
