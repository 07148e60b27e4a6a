"""What one turn came to: its last words, how it ended, and what it used."""

from __future__ import annotations

from typing import Any, cast

from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.usage import usage_of
from dsh_tui.engine.session.event import Event


class TurnRecord:
    """Fed with the events of a run; the last message-triggered turn is the one that counts."""

    def __init__(self) -> None:
        self.text = ""
        """The last answer that has any text."""
        self.turn = 0
        self.reason = "unknown"
        self._end: dict[str, Any] = {}  # Any: JSON of the reason
        self._usage: dict[str, int] = {}
        self._counts = False

    def add(self, event: Event) -> None:
        data = event.data
        match event.type:
            case "turn/start":
                self._counts = data["trigger"]["kind"] == "message"
                if self._counts:
                    self.turn = data["turn"]
            case "assistant/message":
                self.text = text_of(data["content"]).strip() or self.text
                counts = cast("dict[str, int]", usage_of(data.get("usage")) or {})
                for name, count in counts.items():
                    self._usage[name] = self._usage.get(name, 0) + count
            case "turn/end" if self._counts:
                self._end = dict(data["reason"])
                self.reason = self._end["kind"]

    def usage(self) -> dict[str, int]:
        """Token counts over all requests of the run; counts that no provider gave are absent."""
        return dict(self._usage)

    def explain(self) -> str:
        """Why it ended, in a phrase."""
        failure = self._end.get("failure") or {}
        code = failure.get("code") or self._end.get("code")
        words = self._end.get("message") or self._end.get("reason") or self.reason
        return f"{words} [{code}]" if code and code not in words else str(words)
