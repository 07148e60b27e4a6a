"""Compact: it begins, prunes, is given a summary, puts that in its place and ends, once each in one turn.

Source: core spec §9 (compact), §10.
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.compaction.checkpoint import PLUGIN
from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event


class CompactCheck(LogCheck):
    """Starts and ends pair up; a checkpoint cites its start, its summary and everything it stands for.

    As many results cite its pruning as that told.
    A crash may leave a start without its end: the end of its turn says so, or the seed that it is in.
    """

    owner: ClassVar[str] = "compact"
    tags = frozenset(
        {
            "compact/start", "compact/prune", "compact/retry", "compact/summary", "compact/end",
            "context/message", "tool/result", "turn/end", "session/end-seed",
        }
    )  # fmt: skip

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: str | None = None
        self._start = -1
        self._retries = 0
        self._pruned: int | None = None
        self._owed = 0
        """Results that are told to be shortened, and are not yet."""
        self._summary: int | None = None
        self._placed = False

    def concerns(self, event: Event) -> bool:
        if event.type == "tool/result":
            return event.surface_op is not None and event.surface_op["op"] == "replace"
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
        elif event.type == "tool/result":
            more = self._owed == 0 and self._prunes(event)
            self.require(not more, "more results are shortened than it was told")
        elif event.type != "session/end-seed":
            self.require(data["compactionId"] == self._open, f"{data['compactionId']} is not open")
            self._check_course(event)

    def _check_course(self, event: Event) -> None:
        data = event.data
        if event.type == "compact/retry":
            counted = data["retry"] in (1, self._retries + 1)  # 1 again for the summary of a smaller part
            self.require(counted, f"retry {data['retry']} follows {self._retries}")
            return
        self.require(self._owed == 0, f"{self._owed} results were to be shortened, and are not")
        if event.type == "compact/prune":
            self.require(self._pruned is None and self._summary is None, "pruning comes once and first")
        elif event.type == "compact/summary":
            self.require(self._summary is None, "a second summary")
        elif data["outcome"] == "done" and self._summary is None:
            self.require(self._pruned is not None, "it says that it is done, and nothing was")
        else:
            done = data["outcome"] == "done"
            self.require(done == self._placed, "its outcome is not what became of the surface")

    def _prunes(self, event: Event) -> bool:
        """Whether a replaced result is of the pruning; anybody may replace others."""
        return self._pruned is not None and self._pruned in (event.source_event_seqs or ())

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
        elif event.type == "compact/prune":
            self._pruned, self._owed = event.seq, event.data["results"]
        elif event.type == "tool/result":
            self._owed -= self._prunes(event)
        elif event.type == "compact/retry":
            self._retries = event.data["retry"]
        elif event.type == "compact/summary":
            self._summary = event.seq
        elif event.type == "context/message":
            self._placed = True
        else:
            self._clear()

    def _clear(self) -> None:
        self._open = self._pruned = self._summary = None
        self._owed = self._retries = 0
        self._placed = False
