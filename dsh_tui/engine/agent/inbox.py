"""The inbox: what was said to an agent and not yet read by it. Kept in memory only.

Two queues in order of arrival: prompts wait for the next turn, steering for the next step of the
running one. Nothing leaves but by `take_prompts`, `take_steering` or `clear`, so nothing is
stranded: steering that missed its turn is made a prompt by `promote_steering`.

Source: core spec §7, §8.1.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace

from dsh_tui.engine.agent.agent import QueuedMessage


class Inbox:
    """Two queues and one bell."""

    def __init__(self) -> None:
        self._prompts: deque[QueuedMessage] = deque()
        self._steering: deque[QueuedMessage] = deque()
        self._bell = asyncio.Event()

    def put(self, message: QueuedMessage) -> None:
        """Queue a message; a prompt rings the bell."""
        if message.steering:
            self._steering.append(message)
            return
        self._prompts.append(message)
        self._bell.set()

    def ring(self) -> None:
        """Wake whoever waits, with nothing new."""
        self._bell.set()

    async def wait(self) -> None:
        """Return once somebody rang since the last `wait`."""
        await self._bell.wait()
        self._bell.clear()

    @property
    def has_prompts(self) -> bool:
        return bool(self._prompts)

    @property
    def has_steering(self) -> bool:
        return bool(self._steering)

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        return (*self._prompts, *self._steering)

    def take_prompts(self) -> tuple[QueuedMessage, ...]:
        taken = tuple(self._prompts)
        self._prompts.clear()
        return taken

    def take_steering(self) -> tuple[QueuedMessage, ...]:
        taken = tuple(self._steering)
        self._steering.clear()
        return taken

    def promote_steering(self) -> None:
        """Steering that no step read any more becomes prompts of the next turn."""
        for message in self.take_steering():
            self.put(replace(message, steering=False))

    def clear(self) -> tuple[QueuedMessage, ...]:
        """Throw everything away; returns what that was."""
        return (*self.take_prompts(), *self.take_steering())
