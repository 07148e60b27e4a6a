"""Prompts that wait until the agent is idle. They live here, not in the agent's inbox.

So a cancel of the agent never loses one: it only pauses the queue, and a person decides.
Source: design §2 (a prompt submitted while a turn runs).
"""

from __future__ import annotations

from collections.abc import Iterable


class PromptQueue:
    """First in, first out, unless it is paused."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self.paused = False

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(self._waiting)

    def put(self, text: str) -> None:
        self._waiting.append(text)

    def put_back(self, texts: Iterable[str]) -> None:
        """Return what was taken and not sent, to the front and in order."""
        self._waiting[:0] = texts

    def remove(self, index: int) -> str:
        """Take one out by position.

        Raises:
            IndexError: nothing waits there.
        """
        if index < 0:
            raise IndexError(index)
        text = self._waiting.pop(index)
        self._unpause_if_empty()
        return text

    def take(self) -> str | None:
        """The next one to send, or None while there is none or the queue is paused."""
        if self.paused or not self._waiting:
            return None
        return self._waiting.pop(0)

    def pause(self) -> None:
        """Hold what waits until `resume`; an empty queue has nothing to hold."""
        self.paused = bool(self._waiting)

    def resume(self) -> None:
        self.paused = False

    def _unpause_if_empty(self) -> None:
        if not self._waiting:
            self.paused = False
