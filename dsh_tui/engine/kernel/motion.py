"""Which fibers are changing state, who waits for whom, and which tasks are whose.

One per tree. It answers the two questions that keep a tree from waiting for itself:
is anything still moving that could bring what a fiber waits for, and would waiting
for that fiber mean waiting for the caller.
Source: core spec §1 (states, unload from inside setup).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from dsh_tui.engine.kernel.errors import KernelError
from dsh_tui.engine.kernel.state import FiberState

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.fiber import Fiber


class Wait(NamedTuple):
    """What a fiber waits for."""

    goal: Fiber
    is_over: Callable[[], bool]
    """True already while the waiter has not run since: then it is about to move."""


class Motion:
    """The tree's tasks and waits."""

    __slots__ = ("_changed", "_owners", "_waits", "loads", "moving", "observed")

    def __init__(self) -> None:
        self._owners: dict[asyncio.Task[Any], Fiber] = {}  # Any: results are not looked at
        self._waits: dict[Fiber, list[Wait]] = {}
        self._changed: asyncio.Future[None] | None = None
        self.loads = count(1)
        """Numbers for the loadings of the tree's plugins."""
        self.moving: set[Fiber] = set()
        self.observed: set[asyncio.Task[None]] = set()
        """Tasks of emitted events that nobody waits for."""

    def spawn(
        self, fiber: Fiber, work: Coroutine[Any, Any, None]
    ) -> asyncio.Task[None]:  # Any: coroutine's own
        """Run a part of the fiber's life as a task that is known to be its own."""
        task = asyncio.get_running_loop().create_task(work, name=f"fiber {fiber.name}")
        self._owners[task] = fiber
        task.add_done_callback(lambda done: self._owners.pop(done, None))
        return task

    def owner(self) -> Fiber | None:
        """The fiber whose life the running task is a part of."""
        task = asyncio.current_task()
        return None if task is None else self._owners.get(task)

    def pulse(self) -> None:
        """Wake everyone in `change`."""
        if self._changed is not None:
            self._changed.set_result(None)
            self._changed = None

    async def change(self) -> None:
        """Wait until a fiber changes state, or starts or ends to wait."""
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._changed)

    def is_stuck(self) -> bool:
        """Whether no fiber can move on by itself: each one that moves waits for what is not so yet."""
        return all(
            fiber in self._waits and not any(wait.is_over() for wait in self._waits[fiber])
            for fiber in self.moving
        )

    async def started(self, fiber: Fiber) -> Fiber:
        """Wait until the fiber is ACTIVE, FAILED or DISPOSED; or PENDING, and nothing moves that could help.

        Raises:
            BaseException: what its start failed with.
            KernelError: ``WAIT_CYCLE``; the fiber waits for the one that asks.
        """
        waiter = self.owner()
        if waiter is not None and waiter in self.chain(fiber):
            raise KernelError(f"{waiter.name}: would wait for itself through {fiber.name}", code="WAIT_CYCLE")

        def is_over() -> bool:
            return not fiber.is_moving and fiber.parent is not None and fiber.state is not FiberState.PENDING

        def is_still() -> bool:
            # Who asks from inside a setup is part of what moves, and must not wait for itself to stop.
            return self.is_stuck() if waiter is not None else not self.moving

        with self.waiting(waiter, fiber, is_over):
            while not is_over() and (fiber.is_moving or not is_still()):
                await self.change()
        if fiber.error is not None:
            raise fiber.error
        return fiber

    def gone(self, fiber: Fiber) -> Gone:
        """The end of the fiber, to be awaited or not."""
        return Gone(self, fiber)

    async def wait_gone(self, fiber: Fiber) -> None:
        """Wait until the fiber is DISPOSED; not at all where that would wait for the caller."""
        waiter = self.owner()
        if waiter is not None and self.leads_to(fiber, waiter):
            return

        def is_over() -> bool:
            return fiber.state is FiberState.DISPOSED

        with self.waiting(waiter, fiber, is_over):
            while not is_over():
                await self.change()

    def chain(self, start: Fiber) -> list[Fiber]:
        """``start``, the fibers it waits for, those that they wait for, and so on."""
        found = [start]
        for fiber in found:  # grows while we walk
            found += [wait.goal for wait in self._waits.get(fiber, ()) if wait.goal not in found]
        return found

    def leads_to(self, start: Fiber, goal: Fiber) -> bool:
        """Whether the end of ``start`` hangs on ``goal``, itself a part of what is waited for."""
        return any(goal.is_within(fiber) for fiber in self.chain(start))

    @contextmanager
    def waiting(self, waiter: Fiber | None, goal: Fiber, is_over: Callable[[], bool]) -> Iterator[None]:
        """Know that ``waiter`` waits for ``goal``, until ``is_over``, for as long as the block runs."""
        if waiter is None:
            yield
            return
        wait = Wait(goal, is_over)
        waits = self._waits.setdefault(waiter, [])
        waits.append(wait)
        self.pulse()
        try:
            yield
        finally:
            waits.remove(wait)
            if not waits:
                del self._waits[waiter]
            self.pulse()

    async def stop_observed(self) -> None:
        """End what emitted events left running: nothing outlives the tree."""
        tasks = [task for task in self.observed if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Gone:
    """An awaitable that nobody needs to await."""

    __slots__ = ("_fiber", "_motion")

    def __init__(self, motion: Motion, fiber: Fiber) -> None:
        self._motion = motion
        self._fiber = fiber

    def __await__(self) -> Generator[Any, None, None]:  # Any: what the loop is handed
        return self._motion.wait_gone(self._fiber).__await__()
