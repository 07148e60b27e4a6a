"""The four ways an event reaches its listeners: emit, parallel, serial, waterfall.

A listener's failure is contained by ``emit`` (logged, the next one is called) and
reaches the caller everywhere else. Every dispatch first asks the ``internal/dispatch``
listeners, whose raise stops it in every mode: that is how invariants are checked.
Source: core spec §1 (Dispatch, Containment).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, cast

from dsh_tui.engine.kernel.errors import KernelError
from dsh_tui.engine.kernel.keys import Emit, Next, Parallel, Serial, Waterfall
from dsh_tui.engine.kernel.listeners import GATE, Admits, Listener, Snapshots

P = ParamSpec("P")
R = TypeVar("R")

DispatchMode: TypeAlias = Literal["emit", "parallel", "serial", "waterfall"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A dispatch about to happen, as `INTERNAL_DISPATCH` listeners see it."""

    mode: DispatchMode
    event: str
    args: tuple[object, ...]
    carrier: Dispatcher
    """Whose listeners are asked: a context (all of them) or a scope's dispatcher."""


INTERNAL_DISPATCH: Emit[[Dispatch]] = Emit(GATE)
"""Before every dispatch, except of ``internal/`` events. A raise stops the dispatch."""


class Dispatcher:
    """Sends events to the listeners that its carrier admits."""

    __slots__ = ("_observed", "_snapshots")

    def __init__(self, snapshots: Snapshots, observed: set[asyncio.Task[None]]) -> None:
        self._snapshots = snapshots
        self._observed = observed

    @property
    def admits(self) -> Admits | None:
        """What decides who hears it; None where everybody does."""
        return self._snapshots.admits

    def emit(self, event: Emit[P], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell every listener, in order; log what one raises and go on.

        An awaitable that a listener returns runs as a task of its own, watched and logged.
        """
        if self._snapshots.table.gate:
            self._ask_gate("emit", event.name, args)
        for listener in self._snapshots.of(event.name):
            try:
                result = listener.call(*args, **kwargs)
            except Exception:  # noqa: BLE001  # a listener's fault must not reach the one who tells
                _log.exception("%s: listener %s failed", event.name, listener)
            else:
                if result is not None:
                    self._observe(event.name, listener, result)

    def emit_raw(self, event: Emit[P], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell every listener, in order; a raise escapes and the rest is not told.

        For announcements that a listener may veto. Awaitables are watched as in `emit`.
        """
        self._ask_gate("emit", event.name, args)
        for listener in self._snapshots.of(event.name):
            result = listener.call(*args, **kwargs)
            if result is not None:
                self._observe(event.name, listener, result)

    async def parallel(self, event: Parallel[P], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Run every listener at the same time, wait for all, then raise the first error.

        "First" is by registration; further errors are logged.
        """
        self._ask_gate("parallel", event.name, args)
        listeners = self._snapshots.of(event.name)
        if len(listeners) == 1:
            await _answer(listeners[0].call(*args, **kwargs))
            return

        async def run(listener: Listener) -> None:
            await _answer(listener.call(*args, **kwargs))

        results = await asyncio.gather(*map(run, listeners), return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        for error in errors[1:]:
            _log.error("%s: one more listener failed", event.name, exc_info=error)
        if errors:
            raise errors[0]

    async def serial(self, event: Serial[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Ask one listener after the other; the first answer that is not None or False wins."""
        self._ask_gate("serial", event.name, args)
        for listener in self._snapshots.of(event.name):
            answer = await _answer(listener.call(*args, **kwargs))
            if answer is not None and answer is not False:
                return cast("R", answer)
        return None

    async def waterfall(
        self, event: Waterfall[P, R], innermost: Next[R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Let the first listener decide; its ``next`` asks the rest, and at last ``innermost``.

        Raises:
            KernelError: ``NEXT_CALLED_TWICE``, where a listener calls its ``next`` again.
        """
        self._ask_gate("waterfall", event.name, args)
        listeners = self._snapshots.of(event.name)

        def step(index: int) -> Next[R]:
            if index == len(listeners):
                return innermost
            listener = listeners[index]

            async def decide() -> R:
                following = _once(step(index + 1), event.name, listener)
                return cast("R", await _answer(listener.call(*args, following, **kwargs)))

            return decide

        return await step(0)()

    def _ask_gate(self, mode: DispatchMode, event: str, args: tuple[object, ...]) -> None:
        gate = self._snapshots.table.gate
        if not gate or event.startswith("internal/"):
            return
        dispatch = Dispatch(mode, event, args, self)
        for listener in gate:
            listener.call(dispatch)

    def _observe(self, event: str, listener: Listener, result: object) -> None:
        if not isinstance(result, Awaitable):
            return

        async def watch() -> None:
            try:
                await result
            except Exception:  # noqa: BLE001  # nobody awaits this task; the log is where its fault goes
                _log.exception("%s: listener %s failed", event, listener)

        task = asyncio.get_running_loop().create_task(watch(), name=f"{event}: {listener}")
        self._observed.add(task)
        task.add_done_callback(self._observed.discard)


async def _answer(result: Any) -> Any:  # Any: the key's R, checked where the listener was registered
    return await result if isinstance(result, Awaitable) else result


def _once(following: Next[R], event: str, listener: Listener) -> Next[R]:
    called = False

    def proceed() -> Awaitable[R]:
        nonlocal called
        if called:
            raise KernelError(f"{event}: {listener} called next() a second time", code="NEXT_CALLED_TWICE")
        called = True
        return following()

    return proceed
