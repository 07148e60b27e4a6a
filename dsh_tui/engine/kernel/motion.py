"""Which fibers are changing state, who waits for whom, and which tasks are whose.

One per tree. It answers the two questions that keep a tree from waiting for itself:
is anything still moving that could bring what a fiber waits for, and would waiting
for that fiber mean waiting for the caller.
Source: core spec §1 (states, unload from inside setup).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dsh_tui.engine.kernel.errors import KernelError
from dsh_tui.engine.kernel.state import FiberState

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.fiber import Fiber


class Motion:
    """The tree's tasks and waits."""

    __slots__ = ("_changed", "_owners", "_waits", "moving", "observed")

    def __init__(self) -> None:
        self._owners: dict[asyncio.Task[Any], Fiber] = {}  # Any: results are not looked at
        self._waits: dict[Fiber, Fiber] = {}
        self._changed: asyncio.Future[None] | None = None
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

    def is_quiet(self) -> bool:
        """Whether no fiber can move on by itself: each one that moves waits for another."""
        return all(fiber in self._waits for fiber in self.moving)

    async def started(self, fiber: Fiber) -> Fiber:
        """Wait until the fiber is ACTIVE, FAILED or DISPOSED; or PENDING, and nothing moves that could help.

        Raises:
            BaseException: what its start failed with.
            KernelError: ``WAIT_CYCLE``; the fiber waits for the one that asks.
        """
        waiter = self.owner()
        if waiter is not None and waiter in self.chain(fiber):
            raise KernelError(f"{waiter.name}: would wait for itself through {fiber.name}", code="WAIT_CYCLE")
        with self.waiting(waiter, fiber):
            while fiber.is_moving or (_hangs_on_the_tree(fiber) and not self.is_quiet()):
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
        with self.waiting(waiter, fiber):
            while fiber.state is not FiberState.DISPOSED:
                await self.change()

    def chain(self, start: Fiber) -> list[Fiber]:
        """``start``, the fiber it waits for, the one that waits for, and so on."""
        found: list[Fiber] = []
        current: Fiber | None = start
        while current is not None and current not in found:
            found.append(current)
            current = self._waits.get(current)
        return found

    def leads_to(self, start: Fiber, goal: Fiber) -> bool:
        """Whether the end of ``start`` hangs on ``goal``, itself a part of what is waited for."""
        return any(goal.is_within(fiber) for fiber in self.chain(start))

    @contextmanager
    def waiting(self, waiter: Fiber | None, goal: Fiber) -> Iterator[None]:
        """Know that ``waiter`` waits for ``goal`` for as long as the block runs."""
        if waiter is None:
            yield
            return
        before = self._waits.get(waiter)
        self._waits[waiter] = goal
        self.pulse()
        try:
            yield
        finally:
            if before is None:
                self._waits.pop(waiter, None)
            else:
                self._waits[waiter] = before
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


def _hangs_on_the_tree(fiber: Fiber) -> bool:
    return fiber.parent is None or fiber.state is FiberState.PENDING
