"""Retry: waits are counted, named once, and ended before the next attempt begins.

Source: core spec §9 (retry), §8.5.
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event


class RetryCheck(LogCheck):
    """A retry follows a failed attempt; its number rises within the step and keeps to the limit."""

    owner: ClassVar[str] = "retry"
    tags = frozenset({"llm/retry", "llm/retry-started", "assistant/chunk", "step/start"})

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._waiting: str | None = None
        self._begin_step()

    def check(self, event: Event) -> None:
        data = event.data
        if event.type == "llm/retry":
            self.require(data["retryId"] not in self._used, f"{data['retryId']} is used a second time")
            self.require(self._failed, "a retry without a failed attempt before it")
            self.require(data["retry"] > self._last, f"retry {data['retry']} comes after {self._last}")
            self.require(data["retry"] <= data.get("maxRetries", data["retry"]), "more retries than allowed")
        elif event.type == "llm/retry-started":
            self.require(data["retryId"] == self._waiting, f"{data['retryId']} is not being waited for")
        elif event.type == "assistant/chunk":
            self.require(self._waiting is None, "an attempt begins while a retry still waits")

    def advance(self, event: Event) -> None:
        data = event.data
        if event.type == "step/start":
            self._begin_step()
        elif event.type == "llm/retry":
            self._used.add(data["retryId"])
            self._waiting, self._last = data["retryId"], data["retry"]
        elif event.type == "llm/retry-started":
            self._waiting = None
        elif data["chunk"]["type"] == "finish":
            self._failed = data["chunk"]["reason"]["kind"] in ("error", "aborted")

    def _begin_step(self) -> None:
        self._waiting = None
        self._failed = False
        self._last = 0
