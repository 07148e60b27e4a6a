"""Approval: ask a person before a tool acts, and log the question and the answer.

Fails closed: no answerer, one that raises, answers nonsense or goes away means ``unavailable``.
Cancelling wins over an answer; whatever comes later is dropped. The model never sees these
events, only the tool result that follows. Source: core spec §6 (Ask); capabilities F.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from dsh_tui.engine.approval.events import APPROVAL_UNAVAILABLE
from dsh_tui.engine.approval.requests import Answer, Answerer, ApprovalRequest, Unanswered
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.frozen import JsonObject, freeze
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.kernel import Context, Disposer, ServiceKey
from dsh_tui.engine.scope import scope_target
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED
from dsh_tui.engine.tools.arguments import validate_arguments
from dsh_tui.engine.tools.containment import Raised, contained
from dsh_tui.engine.tools.decisions import ApprovalOutcome
from dsh_tui.engine.tools.definition import AnyTool, ToolCall

_log = logging.getLogger(__name__)


class ApprovalError(HarnessError):
    """An answerer is mounted already."""

    code = "ANSWERER_EXISTS"


@dataclass(slots=True)
class _Desk:
    """The mounted answerer, and the signal that tells its requests when it goes."""

    answerer: Answerer
    gone: CancelSignal = field(default_factory=CancelSignal)


@dataclass(frozen=True, slots=True)
class _Decided:
    outcome: ApprovalOutcome
    by: str


_CANCELLED = _Decided(ApprovalOutcome("cancelled"), "cancel")
_UNAVAILABLE = _Decided(ApprovalOutcome("unavailable"), "nobody")


class Approval:
    """Routes requests to the one mounted answerer. Published under `APPROVAL`."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._desk: _Desk | None = None
        self._pending: dict[str, ApprovalRequest] = {}
        self._unanswered: list[Unanswered] = []
        self._late: set[_AnswerTask] = set()
        ctx.on(SESSION_DISPOSED, self._forget)

    def answer_with(self, ctx: Context, answerer: Answerer) -> Disposer:
        """Mount the answerer for as long as the caller's fiber lives; what it left open is unavailable.

        Raises:
            ApprovalError: one is mounted already. Order must not decide policy.
        """

        def install() -> Iterator[Callable[[], object]]:
            if self._desk is not None:
                raise ApprovalError("approvals are answered by somebody already")
            desk = self._desk = _Desk(answerer)

            def leave() -> None:
                self._desk = None
                desk.gone.cancel("the answerer is gone")

            yield leave

        return ctx.effect(install)

    def pending(self, session_id: str) -> tuple[ApprovalRequest, ...]:
        """The session's open requests, oldest first."""
        return tuple(request for request in self._pending.values() if request.session_id == session_id)

    def unanswered(self, session_id: str) -> tuple[Unanswered, ...]:
        """The session's calls that were refused because nobody could be asked."""
        return tuple(one for one in self._unanswered if one.session_id == session_id)

    async def request(self, call: ToolCall, definition: AnyTool, reason: str) -> ApprovalOutcome:
        """Log the question, wait for the answer, log it and return it."""
        preview = await _preview(call, definition)
        request = ApprovalRequest(
            id=new_id("approval"),
            session_id=call.session.id,
            reason=reason,
            preview=preview,
            call=call,
            definition=definition,
        )
        call.session.append("approval/asked", _asked(request))
        self._pending[request.id] = request
        decided = _CANCELLED
        try:
            decided = await self._decide(request)
        finally:
            del self._pending[request.id]
            if not call.session.disposed:
                call.session.append("approval/decided", _decided(request, decided))
        if decided.outcome.outcome == "unavailable":
            self._note_unanswered(request)
        return decided.outcome

    async def _decide(self, request: ApprovalRequest) -> _Decided:
        signal, desk = request.call.signal, self._desk
        if signal.cancelled:
            return _CANCELLED
        if desk is None:
            return _UNAVAILABLE
        stop = CancelSignal()
        undo = (stop.follow(signal), stop.follow(desk.gone))

        async def ask() -> Answer:
            return await desk.answerer(request, stop)

        asking = asyncio.ensure_future(contained(ask()))
        stopped = asyncio.Event()
        stop.on_cancel(stopped.set)
        stopping = asyncio.ensure_future(stopped.wait())
        try:
            await asyncio.wait((asking, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for take_away in undo:
                take_away()
            stop.cancel("the request is settled")
            stopping.cancel()
            self._let_go(asking)
        if signal.cancelled:
            return _CANCELLED
        if desk.gone.cancelled:
            return _UNAVAILABLE
        return self._read(request, asking.result())

    def _let_go(self, asking: _AnswerTask) -> None:
        """An answer that still comes is dropped; nobody waits for a rogue answerer."""
        if not asking.done():
            asking.cancel()
            self._late.add(asking)
            asking.add_done_callback(self._late.discard)

    @staticmethod
    def _read(request: ApprovalRequest, answer: Answer | Raised) -> _Decided:
        match answer:
            case Answer(outcome="allowed-once" | "rejected", feedback=str() | None, by=str()):
                return _Decided(ApprovalOutcome(answer.outcome, answer.feedback or None), answer.by or "user")
            case Raised(error=error):
                _log.error("%s: the answerer failed", request.id, exc_info=error)
            case _:
                _log.error("%s: the answerer gave a %s", request.id, type(answer).__name__)
        return _UNAVAILABLE

    def _forget(self, session: Session) -> None:
        self._unanswered = [one for one in self._unanswered if one.session_id != session.id]

    def _note_unanswered(self, request: ApprovalRequest) -> None:
        self._unanswered.append(
            Unanswered(
                request.session_id, request.call_id, request.tool_name, request.arguments, request.reason
            )
        )
        target = scope_target(self._ctx, request.call.agent)
        target.emit(APPROVAL_UNAVAILABLE, request.call, request.reason)


_AnswerTask: TypeAlias = "asyncio.Future[Answer | Raised]"


async def _preview(call: ToolCall, definition: AnyTool) -> JsonObject | None:
    """The tool's card for the person; a tool that can't make one must not keep the person from deciding."""
    if definition.preview is None:
        return None

    async def card() -> JsonObject | None:
        assert definition.preview is not None
        args = validate_arguments(definition, call.arguments, call.args)
        made = await definition.preview(args, call)
        return None if made is None else freeze(dict(made))

    preview = await contained(card())
    if isinstance(preview, Raised):
        _log.warning("%s: no preview of %s", call.call_id, call.name, exc_info=preview.error)
        return None
    return preview


def _asked(request: ApprovalRequest) -> dict[str, object]:
    data: dict[str, object] = {
        "id": request.id,
        "callId": request.call_id,
        "toolName": request.tool_name,
        "arguments": request.arguments,
        "reason": request.reason,
        "cwd": str(request.cwd),
    }
    if request.preview is not None:
        data["preview"] = request.preview
    return data


def _decided(request: ApprovalRequest, decided: _Decided) -> dict[str, object]:
    data: dict[str, object] = {
        "id": request.id,
        "callId": request.call_id,
        "outcome": decided.outcome.outcome,
        "by": decided.by,
    }
    if decided.outcome.feedback is not None:
        data["feedback"] = decided.outcome.feedback
    return data


APPROVAL: ServiceKey[Approval] = ServiceKey("approval")
