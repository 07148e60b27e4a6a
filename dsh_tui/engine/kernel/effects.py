"""Effects: things done that know how to be undone.

An effect keeps its undos as a stack. Each one is collected before the body goes on, so
a later raise undoes what came before; undoing runs in reverse, one at a time, awaited,
and never stops half way. The effect itself is the disposer: calling it begins at once
(what needs no waiting is undone when the call returns), awaiting the result waits for
the end, and calling again gives the same teardown.
Source: core spec §1 (effect).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from dsh_tui.engine.kernel.errors import KernelError

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.fiber import Fiber

Disposer: TypeAlias = Callable[[], Awaitable[None]]
"""Undoes a registration, once. A second call awaits the same teardown."""

Undo: TypeAlias = Callable[[], object]
"""Takes back one step; may return an awaitable, which is awaited."""

UndoStep: TypeAlias = "Undo | Owned | None"
EffectResult: TypeAlias = "UndoStep | Iterator[UndoStep] | AsyncIterator[UndoStep] | Awaitable[UndoStep]"
EffectBody: TypeAlias = Callable[[], EffectResult]

_log = logging.getLogger(__name__)


class Teardown:
    """The one undoing of an effect. Await it for the end and for the first error."""

    __slots__ = ("errors", "task")

    def __init__(self) -> None:
        self.errors: list[Exception] = []
        self.task: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Wait for the end; errors were logged."""
        if self.task is not None and self.task is not asyncio.current_task():
            await asyncio.shield(self.task)

    def __await__(self) -> Generator[Any, None, None]:  # Any: what the loop is handed
        yield from self.wait().__await__()
        if self.errors:
            raise self.errors[0]


class Owned:
    """What a fiber's stack holds, and a composite effect may take over: an effect or a child fiber."""

    __slots__ = ()

    def dispose(self) -> Awaitable[None]:
        """Begin to undo, once; await the result for the end."""
        raise NotImplementedError

    async def close(self) -> None:
        """Undo and wait; errors were logged, none is raised."""
        raise NotImplementedError

    def detach(self) -> None:
        """Leave the owner's stack: somebody else will dispose it."""
        raise NotImplementedError


class Effect(Owned):
    """One effect of a fiber: its disposer, and awaitable for an asynchronous body to be through."""

    __slots__ = ("_setup", "_teardown", "_undos", "error", "error_seen", "fiber", "label")

    def __init__(self, fiber: Fiber, label: str) -> None:
        self.fiber = fiber
        self.label = label
        self.error: BaseException | None = None
        self.error_seen = False
        """Whether somebody awaited the effect and got its error."""
        self._undos: list[Undo] = []
        self._setup: asyncio.Task[None] | None = None
        self._teardown: Teardown | None = None

    def __repr__(self) -> str:
        return f"effect {self.label} of {self.fiber.name}"

    def begin(self, body: EffectBody) -> None:
        """Run the body; what is asynchronous about it goes on as a task of the fiber."""
        try:
            result = body()
            if _is_asynchronous(result):
                self._setup = self.fiber.motion.spawn(self.fiber, self._set_up(result))
                self.fiber.note_setup(self)
            else:
                self._collect(result)
        except BaseException:  # raised again; what was begun is undone first
            self()
            raise

    def __call__(self) -> Teardown:
        if self._teardown is None:
            self._teardown = Teardown()
            if self._setup is not None and not self._setup.done():
                self._teardown.task = self.fiber.motion.spawn(self.fiber, self._undo_after_setup(self._setup))
            else:
                self._undo_now(self._teardown)
        return self._teardown

    async def ready(self) -> None:
        """Wait for an asynchronous body.

        Raises:
            Exception: what the body raised; everything it did is undone then.
        """
        if self._setup is not None and self._setup is not asyncio.current_task():
            await asyncio.shield(self._setup)
        if self.error is not None:
            self.error_seen = True
            raise self.error

    def __await__(self) -> Generator[Any, None, None]:  # Any: what the loop is handed
        return self.ready().__await__()

    def dispose(self) -> Teardown:
        return self()

    async def close(self) -> None:
        await self().wait()

    def detach(self) -> None:
        self.fiber.drop(self)

    def _collect(self, result: object) -> None:
        if isinstance(result, Generator):
            for undo in result:
                self._adopt(undo)
        else:
            self._adopt(result)

    def _adopt(self, undo: object) -> None:
        if undo is None:
            return
        # An inner effect or fiber now ends in this one's order, not beside it.
        owned = undo if isinstance(undo, Owned) else getattr(undo, "__self__", None)
        if isinstance(owned, Owned) and (owned is undo or undo == owned.dispose):
            owned.detach()
            self._undos.append(owned.dispose)
        elif callable(undo):
            self._undos.append(undo)
        else:
            raise KernelError(f"{self}: got {undo!r} where an undo was expected", code="INVALID_EFFECT")

    async def _set_up(self, result: object) -> None:
        try:
            if isinstance(result, AsyncIterator):
                await self._collect_from(result)
            elif isinstance(result, Awaitable):
                self._collect(await result)
        except asyncio.CancelledError as error:
            if is_being_cancelled():
                raise
            await self._fail(error)
        except Exception as error:  # noqa: BLE001  # kept for `ready`, which raises it
            await self._fail(error)

    async def _fail(self, error: BaseException) -> None:
        self.error = error
        if self._teardown is None:
            self._teardown = Teardown()
            await self._undo_rest(self._teardown)
        if not self.fiber.is_loading:
            _log.error("%s failed", self, exc_info=error)

    async def _collect_from(self, steps: AsyncIterator[object]) -> None:
        try:
            async for undo in steps:
                self._adopt(undo)
                if self._teardown is not None:
                    return
        finally:
            if isinstance(steps, AsyncGenerator):
                await steps.aclose()

    async def _undo_after_setup(self, setup: asyncio.Task[None]) -> None:
        assert self._teardown is not None
        await asyncio.wait([setup])
        await self._undo_rest(self._teardown)

    def _undo_now(self, teardown: Teardown) -> None:
        """Undo up to the first step that needs waiting, and the rest as a task."""
        while self._undos:
            pending = self._undo_one(teardown)
            if pending is not None:
                teardown.task = self.fiber.motion.spawn(self.fiber, self._undo_rest(teardown, pending))
                return
        self.detach()

    async def _undo_rest(self, teardown: Teardown, pending: Awaitable[object] | None = None) -> None:
        while pending is not None or self._undos:
            if pending is not None:
                try:
                    await pending
                except asyncio.CancelledError:
                    # An undo that cancels a task and awaits it has done its work.
                    if is_being_cancelled():
                        raise
                except Exception as error:  # noqa: BLE001  # the other undos must still run
                    self._note(teardown, error)
            pending = self._undo_one(teardown) if self._undos else None
        self.detach()

    def _undo_one(self, teardown: Teardown) -> Awaitable[object] | None:
        undo = self._undos.pop()
        try:
            result = undo()
        except Exception as error:  # noqa: BLE001  # the other undos must still run
            self._note(teardown, error)
            return None
        return result if isinstance(result, Awaitable) else None

    def _note(self, teardown: Teardown, error: Exception) -> None:
        _log.error("%s: an undo failed", self, exc_info=error)
        teardown.errors.append(error)


def is_being_cancelled() -> bool:
    """Whether a CancelledError is meant for the running task, not for something that it awaits."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _is_asynchronous(result: object) -> bool:
    # Asked in this order because an inner effect is callable and awaitable, and means "undo me".
    return not callable(result) and isinstance(result, (AsyncIterator, Awaitable))
