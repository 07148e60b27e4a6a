"""The desk: an answerer for front ends where a person sits, with requests kept by id.

A screen shows what is on the desk and brings answers to it; the screen may go and come back. An
answer counts once and only while its request waits. Source: design §2 (approval).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.base.cancel import CancelSignal


@dataclass(frozen=True, slots=True)
class _Waiting:
    request: ApprovalRequest
    signal: CancelSignal
    answer: asyncio.Future[Answer]

    @property
    def is_open(self) -> bool:
        return not self.answer.done() and not self.signal.cancelled


class ApprovalDesk:
    """Holds requests until somebody answers. Mount it with ``approval.answer_with(ctx, desk)``."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}

    async def __call__(self, request: ApprovalRequest, signal: CancelSignal) -> Answer:
        """Wait for `answer`; the service ends the wait when the answer no longer counts."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = _Waiting(request, signal, answer)
        try:
            return await answer
        finally:
            del self._waiting[request.id]

    @property
    def waiting(self) -> tuple[ApprovalRequest, ...]:
        """What can be answered, oldest first."""
        return tuple(one.request for one in self._waiting.values() if one.is_open)

    def answer(self, id: str, answer: Answer) -> bool:  # noqa: A002  # it is one
        """Settle a request. False: it waits no more, and this answer changed nothing."""
        waiting = self._waiting.get(id)
        if waiting is None or not waiting.is_open:
            return False
        waiting.answer.set_result(answer)
        return True
