"""Prompts that wait until the agent is idle. They live here, not in the agent's inbox.

So a cancel of the agent never loses one: it only holds what waits, and a person decides. What is
sent after that is what they want now: it does not wait behind what is held.
Source: design §2 (a prompt submitted while a turn runs).
"""

from __future__ import annotations

from collections.abc import Iterable


class PromptQueue:
    """First in, first out; those in front may be held."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._held = 0
        """How many in front are held."""

    @property
    def waiting(self) -> tuple[str, ...]:
        """All of them, those that are held first."""
        return tuple(self._waiting)

    @property
    def paused(self) -> bool:
        """Whether any of them is held."""
        return self._held > 0

    @property
    def moves(self) -> bool:
        """Whether any of them goes out by itself: what comes now waits behind it."""
        return len(self._waiting) > self._held

    def put(self, text: str) -> None:
        self._waiting.append(text)

    def put_back(self, texts: Iterable[str]) -> None:
        """Return what was taken and not sent, to the front and in order."""
        back = list(texts)
        self._waiting[:0] = back
        if self._held:
            self._held += len(back)

    def remove(self, index: int) -> str:
        """Take one out by position.

        Raises:
            IndexError: nothing waits there.
        """
        if index < 0:
            raise IndexError(index)
        text = self._waiting.pop(index)
        if index < self._held:
            self._held -= 1
        return text

    def take(self) -> str | None:
        """The next one to send, or None while there is none that is not held."""
        return self._waiting.pop(self._held) if self.moves else None

    def pause(self) -> None:
        """Hold what waits until `resume`."""
        self._held = len(self._waiting)

    def resume(self) -> None:
        self._held = 0
