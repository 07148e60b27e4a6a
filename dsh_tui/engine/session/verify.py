"""Checks a stored log against every rule of the session, and names the first event that breaks one.

The same registry, cursor and surface that guard `Session.append` are run over the log, plus
what only a whole log can show: that each result answers a call of its step.
Source: core spec §9 (session), §3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.session import core_types as _core_types  # noqa: F401  # registers the core types
from dsh_tui.engine.session.errors import SessionError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.registry import EVENT_TYPES, EventTypes
from dsh_tui.engine.session.request_header import RequestHeader, fold_header
from dsh_tui.engine.session.surface import Surface
from dsh_tui.engine.session.turns import TurnCursor

_UNRECORDED: Final = ("TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN")
"""What answers a call that has no record: it never began, or the record is lost."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The first event that breaks a rule, and which."""

    seq: int
    rule: str


def verify_log(
    events: Iterable[Event], types: EventTypes = EVENT_TYPES, *, foreign: bool = False
) -> Violation | None:
    """None for a sound log. An open turn at the end is sound: the session may be running.

    ``foreign``: another program's, in which events may stand between turns.
    """
    log = tuple(events)
    trace = SessionTrace(types, imported=len(log) - 1 if foreign else last_imported(log))
    for event in log:
        try:
            trace.check(event)
        except SessionError as error:
            return Violation(event.seq, error.message)
        trace.advance(event)
    return None


def last_imported(log: Sequence[Event]) -> int:
    """Seq of the event before which another program wrote; -1 where all is ours."""
    return next((event.seq for event in reversed(log) if event.type == "session/imported"), -1)


class SessionTrace:
    """What the rules need to know of the events so far. `check` changes nothing; `advance` does not judge."""

    def __init__(self, types: EventTypes = EVENT_TYPES, *, imported: int = -1) -> None:
        self._types = types
        self._imported = imported  # other programs let events stand between turns
        self._next = 0
        self._turns = TurnCursor()
        self._surface = Surface()
        self._header: RequestHeader | None = None
        self._called: set[str] = set()
        self._answered: set[str] = set()

    def check(self, event: Event) -> None:
        """Whether the event may come next.

        Raises:
            SessionError: it breaks a rule.
        """
        if event.seq != self._next:
            raise SessionError(f"seq {event.seq} stands where {self._next} belongs")
        if event.type not in self._types and event.ignorable:
            return
        kind, data = self._types.check(event.type, event.data)
        op = event.surface_op
        replaces = op is not None and op["op"] == "replace"
        self._turns.check(event.type, data, enclosed=event.seq > self._imported, replaces=replaces)
        if kind.surface and op is None:
            raise SessionError(f"{event.type}: the surface marker is missing")
        self._surface.plan(kind, data, op, event.source_event_seqs, event.seq)
        self._check_call(event, replaces=replaces)
        fold_header(self._header, event)

    def advance(self, event: Event) -> None:
        """Move past an event that was checked."""
        self._next += 1
        data, tag = event.data, event.type
        if tag not in self._types:
            return
        if tag == "step/start":
            self._called, self._answered = set(), set()
        elif tag == "tool/call":
            self._called.add(data["callId"])
        elif tag == "tool/result":
            self._answered.add(data["callId"])
        self._header = fold_header(self._header, event)
        self._turns.advance(tag, data)
        self._surface.commit(event)

    def _check_call(self, event: Event, *, replaces: bool) -> None:
        data = event.data
        if event.type == "tool/call" and data["callId"] in self._called:
            raise SessionError(f"call {data['callId']} begins a second time in its step")
        if event.type == "tool/result" and not replaces:
            call_id, error = data["callId"], data.get("error") or {}
            if call_id in self._answered:
                raise SessionError(f"call {call_id} has a result already")
            if call_id not in self._called and error.get("code") not in _UNRECORDED:
                raise SessionError(f"the result answers call {call_id}, which did not begin in this step")
