"""Compact: a summary is begun, given, put in its place and ended, once each and in one turn.

Source: core spec §9 (compact), §10.
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.compaction.checkpoint import PLUGIN
from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event


class CompactCheck(LogCheck):
    """Starts and ends pair up; a checkpoint cites its start, its summary and everything it stands for.

    A crash may leave a start without its end: the end of its turn says so, or the seed that it is in.
    """

    owner: ClassVar[str] = "compact"
    tags = frozenset(
        {
            "compact/start", "compact/summary", "compact/end", "context/message", "turn/end",
            "session/end-seed",
        }
    )  # fmt: skip

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: str | None = None
        self._start = -1
        self._summary: int | None = None
        self._placed = False

    def concerns(self, event: Event) -> bool:
        ours = event.type != "context/message" or event.data["source"].get("plugin") == PLUGIN
        return super().concerns(event) and ours

    def check(self, event: Event) -> None:
        data = event.data
        if event.type == "compact/start":
            self.require(self._open is None, f"{self._open} has not ended yet")
            self.require(data["compactionId"] not in self._used, "its id is used a second time")
        elif event.type == "turn/end":
            crashed = data["reason"]["kind"] == "interrupted"
            self.require(crashed or self._open is None, f"the turn ends within {self._open}")
        elif event.type == "context/message":
            self._check_place(event)
        elif event.type != "session/end-seed":
            self.require(data["compactionId"] == self._open, f"{data['compactionId']} is not open")
            if event.type == "compact/summary":
                self.require(self._summary is None, "a second summary")
            else:
                done = data["outcome"] == "done"
                self.require(done == self._placed, "its outcome is not what became of the surface")

    def _check_place(self, event: Event) -> None:
        op, cited = event.surface_op, set(event.source_event_seqs or ())
        self.require(op is not None and op["op"] == "replace", "a checkpoint stands for nothing")
        if self._open is None or self._summary is None:
            self.refuse("a checkpoint without a summary before it")
        self.require(not self._placed, "a second checkpoint")
        ours = {self._start, self._summary}
        self.require(ours < cited, "a checkpoint cites its start, its summary and what it stands for")

    def advance(self, event: Event) -> None:
        if event.type == "compact/start":
            self._open, self._start = event.data["compactionId"], event.seq
            self._used.add(event.data["compactionId"])
        elif event.type == "compact/summary":
            self._summary = event.seq
        elif event.type == "context/message":
            self._placed = True
        else:
            self._clear()

    def _clear(self) -> None:
        self._open = self._summary = None
        self._placed = False
