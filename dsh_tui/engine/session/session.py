"""A session: one append-only log and everything that is kept current about its end.

`Session.append` is the only way in. It validates, freezes, places the event among turns and
on the surface, commits, and then publishes. Readers get a live read-only view. An append from
inside a publication is committed at once and published right after the current publication
unwinds, so every listener sees events in seq order and never twice.
Source: core spec §3 (append, surface, store), §12 (traps).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session import core_types as _core_types  # noqa: F401  # registers the core types
from dsh_tui.engine.session.derive import Derivation
from dsh_tui.engine.session.errors import InvalidEventError, SeedError, SessionDisposedError, SessionError
from dsh_tui.engine.session.event import Event, SurfaceOp
from dsh_tui.engine.session.header import SessionHeader
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import CHUNK, ChunkRun, Row, pack, start_run
from dsh_tui.engine.session.registry import EVENT_TYPES, EventTypes
from dsh_tui.engine.session.request_header import RequestHeader, fold_header
from dsh_tui.engine.session.surface import Surface
from dsh_tui.engine.session.turns import TurnCursor

END_SEED = "session/end-seed"

_NOTHING = FrozenDict()


Guard: TypeAlias = "Callable[[Session, Event], None]"
"""Sees every event before it is committed; a raise keeps it out. For invariants, not for policy."""


def _publish_nowhere(_session: Session, _event: Event) -> None:
    return None


class Session:
    """One conversation's log. Append-only; disposed once; never shared between stores."""

    def __init__(
        self,
        header: SessionHeader,
        *,
        clock: Clock = SYSTEM_CLOCK,
        publish: Callable[[Session, Event], None] = _publish_nowhere,
        types: EventTypes = EVENT_TYPES,
        seed: Sequence[Event] | None = None,
        guards: Sequence[Guard] = (),
    ) -> None:
        """A seed is validated and copied but not published; after it, the log says where it ended.

        Raises:
            SeedError: the seed is not contiguous from 0, or holds an event that append would refuse.
        """
        self.header = header
        self.id: str = header["id"]
        self.disposed = False
        self.request_header: RequestHeader | None = None
        self.cwd: str | None = header.get("cwd")
        """Where its tools work: the header's directory, or the one it was moved to since."""
        self._now, self._publish, self._types = clock.now_ms, publish, types
        self._guards = guards
        self._slots: list[Row] = []
        self._run: ChunkRun | None = None
        self._turns = TurnCursor()
        self._surface = Surface()
        self._derivation = Derivation(self._surface, types)
        self._unpublished: deque[Event] = deque()
        self._publishing = False
        if seed is not None:
            self._plant(seed)
        self.events = EventLog(self._slots)
        """Every event so far; a live, read-only view with ``len(events)`` as the next seq."""
        self.first_live_seq = 0 if seed is None else len(seed)
        """Length of the seed: events before it happened to an earlier session or process."""

    def __repr__(self) -> str:
        return f"<Session {self.id} {len(self._slots)} events>"

    @property
    def last_turn(self) -> int:
        """Number of the newest turn, open or not; 0 before the first."""
        return self._turns.last_turn

    @property
    def open_turn(self) -> int | None:
        return self._turns.open_turn

    @property
    def open_step(self) -> int | None:
        return self._turns.open_step

    @property
    def last_step(self) -> int:
        """Number of the newest step of the newest turn; 0 before the first."""
        return self._turns.last_step

    @property
    def publishing(self) -> bool:
        """True while listeners are being told of an event."""
        return self._publishing

    @property
    def has_unpublished(self) -> bool:
        """True while events wait for the current publication to unwind."""
        return bool(self._unpublished)

    @property
    def surface(self) -> Sequence[Event]:
        """The events that the model sees, in its order; positions are what ``replace`` names."""
        return tuple(self._surface.nodes)

    @property
    def replace_generation(self) -> int:
        """Grows with every replace; equal values mean that the surface has only grown."""
        return self._surface.generation

    def derive(self) -> tuple[Message, ...]:
        """The conversation as the model sees it now."""
        return self._derivation.messages()

    def append(
        self,
        type: str,  # noqa: A002  # the envelope's own word
        data: Mapping[str, Any],  # Any: JSON; the registry knows its shape
        *,
        surface: SurfaceOp | None = None,
        sources: Sequence[int] | None = None,
    ) -> Event:
        """Commit and publish one event. ``sources`` are the seqs it was made from.

        Raises:
            InvalidEventError: unknown type, wrong data, or no place for it in the open turn and step.
            SurfaceError: a surface rule is broken.
            SessionDisposedError: the session has ended.
        """
        if self.disposed:
            raise SessionDisposedError(f"session {self.id} has ended; {type} was not added")
        kind, frozen = self._types.check(type, data)
        replaces = surface is not None and surface.get("op") == "replace"
        self._turns.check(type, frozen, enclosed=True, replaces=replaces)
        op, cited = self._surface.plan(kind, frozen, surface, sources, len(self._slots))
        event = Event(type, len(self._slots), self._now(), frozen, op, cited, kind.ignorable)
        for guard in self._guards:
            guard(self, event)
        self._commit(event)
        self._announce(event)
        return event

    def append_chunk(self, turn: int, step: int, chunk: Chunk) -> Event:
        """`append` for a streamed chunk that is frozen and valid already; nothing is checked twice."""
        turns = self._turns
        if turn != turns.open_turn or step != turns.open_step or self.disposed:
            raise InvalidEventError(
                f"{CHUNK}: turn {turn} step {step} is not open in session {self.id}"
                + (", which has ended" if self.disposed else "")
            )
        slots, time = self._slots, self._now()
        seq = len(slots)
        event = Event(CHUNK, seq, time, FrozenDict({"turn": turn, "step": step, "chunk": chunk}))
        for guard in self._guards:
            guard(self, event)
        run = self._run
        if run is None or not run.extend(chunk, time):
            self._end_run()
            run = self._run = start_run(seq, turn, step, chunk, time)
        slots.append(event if run is None else run)
        self._announce(event)
        return event

    def dispose(self) -> None:
        """No more appends. For the store that owns the session; it also tells the others."""
        self.disposed = True

    def _commit(self, event: Event) -> None:
        tag = event.type
        if tag.startswith("request/header"):  # first: a delta that does not fit must not enter the log
            self.request_header = fold_header(self.request_header, event)
        self._end_run()
        self._slots.append(event)
        self._turns.advance(tag, event.data)
        self._surface.commit(event)
        if tag == "session/cwd":
            self.cwd = event.data["cwd"]

    def _end_run(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.seal()

    def _announce(self, event: Event) -> None:
        pending = self._unpublished
        pending.append(event)
        if self._publishing:
            return
        self._publishing = True
        try:
            while pending:
                self._publish(self, pending.popleft())
        finally:
            self._publishing = False

    def _plant(self, seed: Sequence[Event]) -> None:
        rows = seed.rows() if isinstance(seed, EventLog) else pack(seed)
        slots = self._slots
        for row in rows:
            if row.seq != len(slots):
                raise SeedError(f"session {self.id}: seed has seq {row.seq} where {len(slots)} belongs")
            try:
                if isinstance(row, ChunkRun):
                    self._turns.check(CHUNK, {"turn": row.turn, "step": row.step}, enclosed=False)
                    slots.extend([row] * len(row))
                else:
                    self._plant_event(row)
            except SeedError:
                raise
            except SessionError as error:
                raise SeedError(f"session {self.id}: seed event {row.seq}: {error.message}") from error
        last = slots[-1] if slots else None
        if not isinstance(last, Event) or last.type != END_SEED:
            slots.append(Event(END_SEED, len(slots), self._now(), _NOTHING))

    def _plant_event(self, event: Event) -> None:
        kind = self._types.get(event.type)
        if kind is None and event.ignorable:  # its plugin is gone: kept in the log, seen by nobody
            self._slots.append(event)
            return
        kind, frozen = self._types.check(event.type, event.data)
        replaces = event.surface_op is not None and event.surface_op["op"] == "replace"
        self._turns.check(event.type, frozen, enclosed=False, replaces=replaces)
        if kind.surface and event.surface_op is None:
            raise SeedError(f"session {self.id}: seed event {event.seq} lacks its surface marker")
        self._surface.plan(kind, frozen, event.surface_op, event.source_event_seqs, event.seq)
        if frozen is not event.data:
            event = Event(
                event.type,
                event.seq,
                event.time,
                frozen,
                event.surface_op,
                event.source_event_seqs,
                event.ignorable,
            )
        self._commit(event)
