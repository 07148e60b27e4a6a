"""A repaired copy of a damaged log: a new session that can be continued. The original is not touched.

Every good record is appended anew, in order, with its own time and a new seq. Turn and step
frames that were lost are put back, calls whose results were lost get an error result, and what
makes no sense without a lost record (a result of an unknown call, a replacement of a lost span)
is left out and counted. Source: design §3.5; core spec §4.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.base.clock import SystemClock
from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.session.errors import SessionError
from dsh_tui.engine.session.event import Event, SurfaceOp
from dsh_tui.engine.session.fork import fork_meta
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.pack import CHUNK
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session

_LOST = {"kind": "repair", "source": {"kind": "plugin", "plugin": "repair"}}
_STEPPED = frozenset({"step/end", CHUNK, "assistant/message", "tool/call", "tool/result"})


@dataclass(frozen=True, slots=True)
class RepairedCopy:
    """The copy, which nobody has stored yet, and how many records found no place in it."""

    session: Session
    left_out: int


class _RecordedTime(SystemClock):
    """Says what the record that is being copied says."""

    def __init__(self, now: int) -> None:
        self.now = now

    def now_ms(self) -> int:
        return self.now


def repaired_copy(damaged: LoadedSession, session_id: str) -> RepairedCopy:
    """Copy what can be copied into a session of another id."""
    header = new_header(session_id, damaged.header["createdAt"], _meta(damaged))
    clock = _RecordedTime(header["createdAt"])
    copying = _Copying(Session(header, clock=clock), lost=damaged.damaged)
    left_out = 0
    for event in damaged.events:
        clock.now = event.time
        left_out += not copying.take(event)
    copying.end_turn()
    return RepairedCopy(copying.session, left_out)


def _meta(damaged: LoadedSession) -> Mapping[str, Any]:  # Any: JSON of a header
    meta = fork_meta(damaged.header, 0)
    del meta["seedLength"]  # the copy is whole: nothing in it belongs to another session
    return meta


class _Copying:
    """The copy under construction."""

    def __init__(self, session: Session, *, lost: bool) -> None:
        self.session, self._lost = session, lost
        self._seqs: dict[int, int] = {}
        self._calls: dict[str, JsonObject] = {}
        """What the model asked for, by call id."""
        self._begun: set[str] = set()

    def take(self, event: Event) -> bool:
        """Copy one record; False if it finds no place."""
        try:
            self._frame(event)
            copied = self._append(event)
        except SessionError:
            return False
        self._seqs[event.seq] = copied.seq
        if event.type == "assistant/message":
            blocks = event.data["content"]
            self._calls.update({block["id"]: block for block in blocks if block["type"] == "tool-call"})
        return True

    def end_turn(self) -> None:
        """Close what is open, in the way a crash is closed."""
        self._add(closers(self.session.events, lost=self._lost))

    def _append(self, event: Event) -> Event:
        data = event.data
        if event.type in {"tool/call", "tool/result"}:
            if data["callId"] not in self._calls:
                raise SessionError("belongs to an answer that was lost")
            self._begin_call(event)
        sources = self._sources(event)
        surface = event.surface_op
        if surface is not None and surface["op"] == "replace":
            surface = self._span(sources or ())
        return self.session.append(event.type, data, surface=surface, sources=sources)

    def _begin_call(self, event: Event) -> None:
        """Put the record of a call back that was lost, though its result is there."""
        call_id: str = event.data["callId"]
        if event.type == "tool/result" and call_id not in self._begun and not _replaces(event):
            asked = self._calls[call_id]
            place = {"turn": self.session.open_turn, "step": self.session.open_step}
            call = {"callId": call_id, "name": asked["name"], "arguments": asked["arguments"]}
            self.session.append("tool/call", {**place, **call})
        self._begun.add(call_id)

    def _sources(self, event: Event) -> tuple[int, ...] | None:
        old = event.source_event_seqs
        if old is None:
            return None
        kept = tuple(self._seqs[seq] for seq in old if seq in self._seqs)
        return kept if kept or not old else None

    def _span(self, sources: Sequence[int]) -> SurfaceOp:
        """Where the nodes that a replacement cites are now."""
        cited = set(sources)
        places = [at for at, node in enumerate(self.session.surface) if node.seq in cited]
        if not places or places[-1] - places[0] + 1 != len(places):
            raise SessionError("what it replaces was lost")
        return {"op": "replace", "start": places[0], "end": places[-1]}

    def _frame(self, event: Event) -> None:
        """Put the turn and the step around a record where they were lost."""
        tag, data, session = event.type, event.data, self.session
        if tag == "session/end-seed":
            return
        if tag == "turn/start":
            self.end_turn()
            return
        turn = data.get("turn") if tag in _STEPPED or tag in {"step/start", "turn/end"} else None
        if session.open_turn is not None and turn not in {None, session.open_turn}:
            self.end_turn()
        if session.open_turn is None:
            number = session.last_turn + 1 if turn is None else turn
            session.append("turn/start", {"turn": number, "trigger": _LOST})
        if tag in {"turn/end", "step/start", "step/end"}:
            self._end_step(answer_only=tag == "step/end" and session.open_step == data["step"])
        if tag in _STEPPED and session.open_step != data["step"] and not _replaces(event):
            self._end_step()
            session.append("step/start", {"turn": session.open_turn, "step": data["step"]})

    def _end_step(self, *, answer_only: bool = False) -> None:
        """Answer the calls of the open step, and close it."""
        wanted = {"tool/result"} if answer_only else {"tool/result", "step/end"}
        if self.session.open_step is not None:
            self._add(
                event for event in closers(self.session.events, lost=self._lost) if event.type in wanted
            )

    def _add(self, events: Iterable[Event]) -> None:
        for event in events:
            self.session.append(
                event.type, event.data, surface=event.surface_op, sources=event.source_event_seqs
            )


def _replaces(event: Event) -> bool:
    return event.surface_op is not None and event.surface_op["op"] == "replace"
