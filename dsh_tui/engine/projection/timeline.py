"""Any point of a session, read-only: what its screen showed after an event, in a moment.

One pass folds the whole log and keeps a checkpoint every so often, where no answer is being written.
A point is the nearest checkpoint before it and the few events in between. Blocks of ended turns never
change again (but a last word about the mode), so all checkpoints share them.
Source: ux spec §3.4 (time-travel), §3.5 (forks snap to a turn's end).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.projection.fold_copy import copied
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import BlockView, ChatView, NoticeView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun, Row

EVERY: Final = 250
"""Rows between two checkpoints at least."""
SPREAD: Final = 100
"""The further on, the wider apart: by a hundredth of the way, so that memory grows no faster than the log."""
SHOWN: Final = 300
"""Blocks that a point shows; earlier ones are counted."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A place to stop at. ``deltas`` is how many streamed pieces it stands for; 0 for an event."""

    seq: int
    turn: int
    """The turn that is open then, or ended last."""
    deltas: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """What the session looked like after ``seq``."""

    seq: int
    time: int
    turn: int
    view: ChatView
    fork_at: int | None
    """Where a fork from here is cut: the last end of a turn; None before there is one."""
    fork_turn: int


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """The state after so many events: its own blocks stand behind ``settled`` shared ones."""

    length: int
    settled: int
    tail: tuple[BlockView, ...]
    fold: SessionFold


class Timeline:
    """Built once over the events there are; the log may grow meanwhile, the timeline does not."""

    def __init__(
        self,
        header: Mapping[str, Any],  # Any: JSON of the header
        events: Sequence[Event],
        *,
        every: int = EVERY,
        price_of: PriceOf = no_price,
    ) -> None:
        self._header, self._every, self._price_of = header, every, price_of
        self._log = EventLog.numbered(events)
        self.length = len(self._log)
        self.moments: list[Moment] = []
        """Where one can stop; events, and streamed pieces as one."""
        self.turn_starts: list[int] = []
        """Seqs."""
        self._boundaries: list[tuple[int, int]] = []
        self._checkpoints: list[_Checkpoint] = []
        self._blocks = self._build()
        self._lengths = [one.length for one in self._checkpoints]
        self._seqs = [moment.seq for moment in self.moments]

    @property
    def turns(self) -> int:
        """How many turns begin in it."""
        return len(self.turn_starts)

    def event(self, seq: int) -> Event:
        """The event there."""
        return self._log[seq]

    def at(self, seq: int) -> Point:
        """What the session looked like just after this event."""
        seq = max(0, min(seq, self.length - 1))
        kept = self._checkpoints[bisect_right(self._lengths, seq + 1) - 1]
        fold = copied(kept.fold, [*self._blocks[: kept.settled], *kept.tail])
        fold.apply_rows(self._log.rows(kept.length, seq + 1))
        boundary = bisect_right(self._boundaries, (seq, self.length)) - 1
        fork_at, fork_turn = self._boundaries[boundary] if boundary >= 0 else (None, 0)
        return Point(
            seq=seq,
            time=self._log[seq].time,
            turn=bisect_right(self.turn_starts, seq),
            view=_shortened(fold.view().at_rest(keep_approvals=True)),
            fork_at=fork_at,
            fork_turn=fork_turn,
        )

    def moment_at(self, seq: int) -> int:
        """Index of the moment that ``seq`` belongs to."""
        found = bisect_right(self._seqs, seq)
        return min(found - (found > 0 and self._seqs[found - 1] == seq), len(self._seqs) - 1)

    def turn_from(self, index: int, step: int) -> int:
        """Index of the moment at which the next turn, or this one or the one before it, begins."""
        seq = self.moments[index].seq
        place = bisect_right(self.turn_starts, seq) if step > 0 else _before(self.turn_starts, seq)
        if not 0 <= place < len(self.turn_starts):
            return len(self.moments) - 1 if step > 0 else 0
        return self.moment_at(self.turn_starts[place])

    def _build(self) -> Sequence[BlockView]:
        fold = SessionFold(self._header, price_of=self._price_of)
        self._checkpoints.append(_Checkpoint(0, 0, (), copied(fold, [])))
        settled = since = 0
        for row in self._log.rows(0, self.length):
            fold.apply_rows((row,))
            self._note(row)
            since += 1
            if type(row) is Event and row.type == "turn/end":
                settled = fold.transcript.settled
            if since >= self._every + len(self.moments) // SPREAD and not fold.transcript.writing:
                since = 0
                length = self.moments[-1].seq + 1
                tail = tuple(fold.transcript.blocks[settled:])
                self._checkpoints.append(_Checkpoint(length, settled, tail, copied(fold, [])))
        return fold.transcript.blocks

    def _note(self, row: Row) -> None:
        turn = len(self.turn_starts)
        if isinstance(row, ChunkRun):
            self.moments.append(Moment(row.seq + len(row) - 1, turn, len(row)))
            return
        if row.type == "turn/start":
            self.turn_starts.append(row.seq)
            turn += 1
        elif row.type in ("turn/end", "session/end-seed"):
            self._boundaries.append((row.seq, turn))
        self.moments.append(Moment(row.seq, turn, int(row.type == "assistant/chunk")))


def _before(starts: Sequence[int], seq: int) -> int:
    """Place of the last start before ``seq``."""
    place = bisect_right(starts, seq) - 1
    return place - 1 if place >= 0 and starts[place] == seq else place


def _shortened(view: ChatView) -> ChatView:
    hidden = len(view.blocks) - SHOWN
    if hidden <= 0:
        return replace(view, blocks=tuple(view.blocks), changed_from=0)
    note = NoticeView(seq=0, tone="info", text=f"{hidden:,} earlier blocks are not shown here.")
    return replace(view, blocks=(note, *view.blocks[hidden:]), changed_from=0)
