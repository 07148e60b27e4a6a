"""Cancellation as a value: a signal that is passed down, never a task that is killed.

The first cause wins. Whoever started work also awaits its end, so that a cancelled
turn still closes its log. Source: spec core §8.4, §12 (AbortSignal).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from dsh_tui.engine.base.errors import HarnessError

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Cancelled(HarnessError):
    """Raised where cancelled work stops. Carries the signal's reason and cause."""

    code = "ABORTED"

    def __init__(self, reason: str, cause: Mapping[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.cause = cause


class CancelSignal:
    """Can be cancelled once; tells everyone who asked, in order.

    ``cause`` is a JSON object such as ``{"kind": "user"}`` and is what the log keeps.
    """

    __slots__ = ("_callbacks", "cancelled", "cause", "reason")

    def __init__(self) -> None:
        self.cancelled = False
        self.reason = ""
        self.cause: Mapping[str, Any] | None = None  # Any: JSON, open registry of causes
        self._callbacks: dict[object, Callable[[], object]] = {}

    def cancel(self, reason: str = "cancelled", cause: Mapping[str, Any] | None = None) -> None:
        """Fire. A second call changes nothing. What a callback raises is logged: the rest must hear too."""
        if self.cancelled:
            return
        self.cancelled, self.reason, self.cause = True, reason, cause
        callbacks, self._callbacks = list(self._callbacks.values()), {}
        for callback in callbacks:
            try:
                callback()
            except Exception:  # noqa: BLE001  # a stop that stops half way stops nothing
                _log.exception("a callback of a cancel failed")

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call back on cancel (at once if it happened); the result takes the callback away."""
        if self.cancelled:
            callback()
            return lambda: None
        token = object()
        self._callbacks[token] = callback

        def forget() -> None:
            self._callbacks.pop(token, None)

        return forget

    def follow(self, other: CancelSignal) -> Callable[[], None]:
        """Fire when ``other`` does, for the same reason; the result ends that."""
        return other.on_cancel(lambda: self.cancel(other.reason, other.cause))

    def check(self) -> None:
        """Raise `Cancelled` if it happened."""
        if self.cancelled:
            raise Cancelled(self.reason, self.cause)

    async def race(self, work: Awaitable[T]) -> T:
        """Await ``work``, but stop it and raise `Cancelled` when the signal fires first.

        The work is cancelled and awaited: nothing runs on behind the caller's back.
        """
        if self.cancelled and isinstance(work, Coroutine):
            work.close()  # nobody will await it
        self.check()
        task = asyncio.ensure_future(work)
        undo = self.on_cancel(task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            if self.cancelled and not _being_cancelled():
                raise Cancelled(self.reason, self.cause) from None
            task.cancel()
            raise
        finally:
            undo()

    @classmethod
    @contextmanager
    def any_of(cls, *signals: CancelSignal) -> Iterator[CancelSignal]:
        """A signal that fires with the first of the given ones, for as long as the block runs."""
        fused = cls()
        undos = [fused.follow(signal) for signal in signals]
        try:
            yield fused
        finally:
            for undo in undos:
                undo()


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
