"""Where a log stands: the open turn and step, kept per event, never scanned for.

Turns do not overlap and their numbers rise; steps live inside a turn; whatever names a step
names the open one. Every event sits inside a turn, except ``session/end-seed`` and, in a copy
of another program's log, what stands before ``session/imported``.
Source: core spec §3 (turn enclosure), §9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_tui.engine.session.errors import InvalidEventError

_IN_STEP = frozenset(
    {
        "assistant/attempt",
        "assistant/chunk",
        "assistant/message",
        "tool/call",
        "tool/result",
        "llm/retry",
        "llm/retry-started",
    }
)


class TurnCursor:
    """The position of a log's end among turns and steps."""

    __slots__ = ("last_step", "last_turn", "open_step", "open_turn")

    def __init__(self) -> None:
        self.last_turn = 0
        self.last_step = 0
        """Number of the last step begun in the open or last turn; 0 before the first."""
        self.open_turn: int | None = None
        self.open_step: int | None = None

    def check(
        self,
        tag: str,
        data: Mapping[str, Any],  # Any: valid data of its type
        *,
        enclosed: bool,
        replaces: bool = False,
    ) -> None:
        """Refuse an event that has no place here. ``enclosed`` demands an open turn around the rest.

        Raises:
            InvalidEventError: and nothing has changed.
        """
        problem = self._problem(tag, data, enclosed=enclosed, replaces=replaces)
        if problem is not None:
            raise InvalidEventError(f"{tag}: {problem}")

    def _problem(
        self,
        tag: str,
        data: Mapping[str, Any],  # Any: as in check
        *,
        enclosed: bool,
        replaces: bool,
    ) -> str | None:
        if tag == "turn/start":
            if self.open_turn is not None:
                return f"turn {self.open_turn} is still open"
            return None if data["turn"] > self.last_turn else f"turn {self.last_turn} has been already"
        if tag in _BETWEEN:
            return None
        if self.open_turn is None:
            return "no turn is open" if enclosed or tag in _FRAME else None
        if tag == "turn/end":
            if self.open_step is not None:
                return f"step {self.open_step} is still open"
            return None if data["turn"] == self.open_turn else f"turn {self.open_turn} is the open one"
        if tag == "step/start":
            if self.open_step is not None:
                return f"step {self.open_step} is still open"
            if data["turn"] != self.open_turn:
                return f"turn {self.open_turn} is the open one"
            return None if data["step"] > self.last_step else f"step {self.last_step} has been already"
        if tag == "step/end" or (tag in _IN_STEP and not replaces):
            here = (self.open_turn, self.open_step)
            return None if (data["turn"], data["step"]) == here else f"the open turn and step are {here}"
        return None

    def advance(self, tag: str, data: Mapping[str, Any]) -> None:  # Any: as in check
        """Move past an event that was checked."""
        if tag == "turn/start":
            self.last_turn = self.open_turn = data["turn"]
            self.last_step = 0
        elif tag == "turn/end":
            self.open_turn = self.open_step = None
        elif tag == "step/start":
            self.last_step = self.open_step = data["step"]
        elif tag == "step/end":
            self.open_step = None


_BETWEEN = frozenset({"session/end-seed", "session/imported"})
_FRAME = frozenset({"turn/end", "step/start", "step/end"})
