"""Approval: ask a person before a tool acts, and log the question and the answer.

Fails closed: no answerer, one that raises, answers nonsense or goes away means ``unavailable``.
Cancelling wins over an answer; whatever comes later is dropped. The model never sees these
events, only the tool result that follows. Source: core spec §6 (Ask); capabilities F.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from dsh_tui.engine.approval.agent_path import agent_path
from dsh_tui.engine.approval.events import APPROVAL_UNAVAILABLE, RULES_NOT_KEPT
from dsh_tui.engine.approval.log_data import Decided, asked_data, decided_by, decided_data, is_sound
from dsh_tui.engine.approval.mode_policy import is_inside
from dsh_tui.engine.approval.requests import Answer, Answerer, ApprovalRequest, Unanswered
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.frozen import JsonObject, freeze
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.kernel import Context, Disposer, ServiceKey
from dsh_tui.engine.permissions.book import PERMISSIONS, facts_of
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.scope import scope_target
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED
from dsh_tui.engine.tools.arguments import validate_arguments
from dsh_tui.engine.tools.containment import Raised, contained
from dsh_tui.engine.tools.decisions import ApprovalOutcome
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.errors import ToolError

_log = logging.getLogger(__name__)


class ApprovalError(HarnessError):
    """An answerer is mounted already."""

    code = "ANSWERER_EXISTS"


@dataclass(slots=True)
class _Mounted:
    """The mounted answerer, and the signal that tells its requests when it goes."""

    answerer: Answerer
    gone: CancelSignal = field(default_factory=CancelSignal)


_CANCELLED = Decided(ApprovalOutcome("cancelled"), "cancel")
_UNAVAILABLE = Decided(ApprovalOutcome("unavailable"), "nobody")

PlaceOf: TypeAlias = Callable[[ToolCall], "tuple[int, int] | None"]


def _nowhere(_call: ToolCall) -> None:
    return None


class Approval:
    """Routes requests to the one mounted answerer. Published under `APPROVAL`."""

    def __init__(self, ctx: Context, place_of: PlaceOf = _nowhere, kept: Sequence[Path] = ()) -> None:
        """``place_of`` says where a call's question stands in its step; ``kept`` as in ``ApprovalConfig``."""
        self._ctx = ctx
        self._place_of = place_of
        self._kept = tuple(kept)
        self._mounted: _Mounted | None = None
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
            if self._mounted is not None:
                raise ApprovalError("approvals are answered by somebody already")
            mounted = self._mounted = _Mounted(answerer)

            def leave() -> None:
                self._mounted = None
                mounted.gone.cancel("the answerer is gone")

            yield leave

        return ctx.effect(install)

    def pending(self, session_id: str) -> tuple[ApprovalRequest, ...]:
        """The session's open requests, oldest first."""
        return tuple(request for request in self._pending.values() if request.session_id == session_id)

    def unanswered(self, session_id: str) -> tuple[Unanswered, ...]:
        """The session's calls that were refused because nobody could be asked."""
        return tuple(one for one in self._unanswered if one.session_id == session_id)

    async def request(
        self, call: ToolCall, definition: AnyTool, reason: str, *, by: str = "plugin"
    ) -> ApprovalOutcome:
        """Log the question, wait for the answer, log it and return it. ``by`` says who asks.

        Raises:
            ToolError: the call can't succeed, whatever a person says; nobody is asked.
        """
        from dsh_tui.engine.permissions.danger import danger  # only where a person is asked

        preview = await _preview(call, definition)
        facts = facts_of(call, definition, self._kept)
        request = ApprovalRequest(
            id=new_id("approval"),
            session_id=call.session.id,
            reason=reason,
            preview=preview,
            call=call,
            definition=definition,
            by=by,
            danger=danger(facts) or "",
            place=self._place_of(call),
            agent=agent_path(call.agent),
        )
        call.session.append("approval/asked", asked_data(request))
        self._pending[request.id] = request
        decided = _CANCELLED
        try:
            decided = await self._keep_rules(request, await self._decide(request))
        finally:
            del self._pending[request.id]
            if not call.session.disposed:
                call.session.append("approval/decided", decided_data(request, decided))
        if decided.outcome.outcome == "unavailable":
            self._note_unanswered(request)
        return decided.outcome

    async def _decide(self, request: ApprovalRequest) -> Decided:
        signal, mounted = request.call.signal, self._mounted
        if signal.cancelled:
            return _CANCELLED
        if mounted is None:
            return _UNAVAILABLE
        stop = CancelSignal()
        undo = (stop.follow(signal), stop.follow(mounted.gone))

        async def ask() -> Answer:
            return await mounted.answerer(request, stop)

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
        if mounted.gone.cancelled:
            return _UNAVAILABLE
        return self._read(request, asking.result())

    def _let_go(self, asking: _AnswerTask) -> None:
        """An answer that still comes is dropped; nobody waits for a rogue answerer."""
        if not asking.done():
            asking.cancel()
            self._late.add(asking)
            asking.add_done_callback(self._late.discard)

    async def _keep_rules(self, request: ApprovalRequest, decided: Decided) -> Decided:
        """Store the rules of an allow before it counts. The call is allowed even where they can't be kept.

        What was seen and allowed stays allowed; a rule holds only if it was offered for this very call.
        """
        if not decided.rules:
            return decided
        permissions = self._ctx.get(PERMISSIONS)
        why = ""
        if permissions is None or not set(decided.rules) <= set(permissions.proposed(request)):
            why = "they were not offered for this call"
        else:
            session = request.call.session
            try:
                await permissions.add(session, decided.rules, decided.scope, by=decided.by)
            except (HarnessError, OSError) as error:
                why = error.message if isinstance(error, HarnessError) else str(error)
        if not why:
            return decided
        _log.warning("%s: rules are not kept: %s", request.id, why)
        scope_target(self._ctx, request.call.agent).emit(RULES_NOT_KEPT, request.call, why)
        return replace(decided, rules=())

    @staticmethod
    def _read(request: ApprovalRequest, answer: Answer | Raised) -> Decided:
        match answer:
            case Answer() if is_sound(answer):
                return decided_by(answer)
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
                request.session_id,
                request.call_id,
                request.tool_name,
                request.arguments,
                request.reason,
                self._would_allow(request),
                request.by,
            )
        )
        target = scope_target(self._ctx, request.call.agent)
        target.emit(APPROVAL_UNAVAILABLE, request.call, request.reason)

    def _would_allow(self, request: ApprovalRequest) -> tuple[Rule, ...]:
        permissions = self._ctx.get(PERMISSIONS)
        return () if permissions is None else permissions.proposed(request)


_AnswerTask: TypeAlias = "asyncio.Future[Answer | Raised]"


async def _preview(call: ToolCall, definition: AnyTool) -> JsonObject | None:
    """The tool's card for the person; a tool that can't make one must not keep the person from deciding.

    What it knows will fail (an edit whose text is not in the file) is not worth a question. Outside
    the workspace it is asked all the same: the refusal would tell of what nobody let the model see.
    """
    if definition.preview is None:
        return None

    async def card() -> JsonObject | None:
        assert definition.preview is not None
        args = validate_arguments(definition, call.arguments, call.args)
        made = await definition.preview(args, call)
        return None if made is None else freeze(dict(made))

    preview = await contained(card())
    if isinstance(preview, Raised):
        if isinstance(preview.error, ToolError) and is_inside(call, definition):
            raise preview.error
        _log.warning("%s: no preview of %s", call.call_id, call.name, exc_info=preview.error)
        return None
    return preview


APPROVAL: ServiceKey[Approval] = ServiceKey("approval")
