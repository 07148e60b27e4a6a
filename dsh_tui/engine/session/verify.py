"""Checks a stored log against every rule of the session, and names the first event that breaks one.

The same registry, cursor and surface that guard `Session.append` are run over the log, plus
what only a whole log can show: that each result answers a call of its step.
Source: core spec §9 (session), §3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dsh_tui.engine.session import core_types as _core_types  # noqa: F401  # registers the core types
from dsh_tui.engine.session.errors import SessionError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.registry import EVENT_TYPES, EventTypes
from dsh_tui.engine.session.request_header import RequestHeader, fold_header
from dsh_tui.engine.session.surface import Surface
from dsh_tui.engine.session.turns import TurnCursor


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
    imported = next((event.seq for event in reversed(log) if event.type == "session/imported"), -1)
    imported = log[-1].seq if foreign and log else imported
    trace = _Trace(types, imported)
    for event in log:
        try:
            trace.take(event)
        except SessionError as error:
            return Violation(event.seq, error.message)
    return None


class _Trace:
    """What the rules need to know of the events so far."""

    def __init__(self, types: EventTypes, imported: int) -> None:
        self._types = types
        self._imported = imported  # other programs let events stand between turns
        self._next = 0
        self._turns = TurnCursor()
        self._surface = Surface()
        self._header: RequestHeader | None = None
        self._called: set[str] = set()
        self._answered: set[str] = set()

    def take(self, event: Event) -> None:
        if event.seq != self._next:
            raise SessionError(f"seq {event.seq} stands where {self._next} belongs")
        self._next += 1
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
        self._header = fold_header(self._header, event)
        self._turns.advance(event.type, data)
        self._surface.commit(event)

    def _check_call(self, event: Event, *, replaces: bool) -> None:
        data = event.data
        if event.type == "step/start":
            self._called, self._answered = set(), set()
        elif event.type == "tool/call":
            if data["callId"] in self._called:
                raise SessionError(f"call {data['callId']} begins a second time in its step")
            self._called.add(data["callId"])
        elif event.type == "tool/result" and not replaces:
            call_id, error = data["callId"], data.get("error") or {}
            if call_id in self._answered:
                raise SessionError(f"call {call_id} has a result already")
            if call_id not in self._called and error.get("code") != "TOOL_NOT_STARTED":
                raise SessionError(f"the result answers call {call_id}, which did not begin in this step")
            self._answered.add(call_id)
