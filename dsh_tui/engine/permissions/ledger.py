"""The ledger: what was called in a session, and who let it run or refused it. A pure fold over its log.

What counts is what happened: a call that was allowed, and that a guard then refused or a cancel kept from
running, is no allowed one. Calls that a fork copied from its parent are its parent's. Calls that nobody
had to decide on, because there is no such tool or its arguments are wrong, are no decisions and left out.
Source: capabilities F; ux spec §3.6, §3.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from dsh_tui.engine.modes.mode import DEFAULT_MODE, PLANNING
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.projection.title import TitleFold
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.tools.arguments import parse_arguments
from dsh_tui.engine.tools.definition import ToolKind

Decider: TypeAlias = Literal["person", "rule", "mode", "plugin", "nobody", "stopped"]
Ended: TypeAlias = Literal["allowed", "refused", "not answered", "not run"]

TYPES: Final = frozenset(
    {
        "approval/asked",
        "approval/decided",
        "permission/decided",
        "permission/mode",
        "session/cwd",
        "session/title",
        "tool/call",
        "tool/result",
        "user/message",
    }
)
"""What the fold looks at."""
LONGEST_ARGUMENT: Final = 2_000
"""Characters that are kept of one argument; a command is kept whole."""
_WHOLE: Final = ("command", "file_path", "path")
_NOT_RUN: Final = ("TOOL_NOT_STARTED", "ABORTED_BEFORE_DISPATCH")
_UNDECIDED: Final = ("UNKNOWN_TOOL", "INVALID_ARGS", *_NOT_RUN)
_OUTCOMES: Final[Mapping[str, tuple[Ended, Decider]]] = {
    "allowed-once": ("allowed", "person"),
    "rejected": ("refused", "person"),
    "cancelled": ("not answered", "stopped"),
    "unavailable": ("refused", "nobody"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """One call and the decision on it."""

    session_id: str
    call_id: str
    tool: str
    arguments: Mapping[str, object]
    """As the model sent them; long texts are cut."""
    cwd: str
    time: int
    """When it was decided; epoch milliseconds."""
    ended: Ended
    decider: Decider
    by: str
    """The mode, the rule's text, or who answered."""
    scope: str = ""
    """Of the rule that decided."""
    why: str = ""
    """What the person was told of why it asks."""
    asked_by: str = ""
    """Who asked: the mode, a rule's text, or a plugin."""
    took_ms: int | None = None
    """From the question to its answer; None where nobody was asked."""
    words: str = ""
    """What the person said with a refusal."""
    rules: tuple[str, ...] = ()
    """What was kept with the answer."""

    def facts(self, kind: ToolKind) -> CallFacts:
        """The call as rules look at it."""
        return CallFacts(tool=self.tool, kind=kind, arguments=self.arguments, cwd=Path(self.cwd or "/"))

    @property
    def was_refused_by_person(self) -> bool:
        return self.decider == "person" and self.ended == "refused"


@dataclass(frozen=True, slots=True)
class SessionCalls:
    """The calls of one session, oldest first."""

    session_id: str
    title: str
    calls: tuple[PastCall, ...]


@dataclass(slots=True)
class _Open:
    call: PastCall
    asked: Event | None = None
    decided: bool = False


class _Fold:
    def __init__(self, header: Mapping[str, Any]) -> None:  # Any: JSON of a header
        self._session_id = str(header.get("id", ""))
        self._cwd = str(header.get("cwd") or "")
        self._mode: str = DEFAULT_MODE
        self._open: dict[str, _Open] = {}
        self.calls: list[PastCall] = []
        self.title = TitleFold()

    def look(self, event: Event, *, inherited: bool) -> None:
        """Take one event in; of an inherited one only what it changes for those that follow."""
        data = event.data
        match event.type:
            case "session/cwd":
                self._cwd = data["cwd"]
            case "session/title" | "user/message":
                self.title.apply(event)
            case "permission/mode":
                self._mode = data["mode"]
            case _ if not inherited:
                self._look_at_call(event)

    def _look_at_call(self, event: Event) -> None:
        data = event.data
        if event.type == "tool/call":
            self._open[data["callId"]] = _Open(self._begun(event))
            return
        entry = self._open.get(data["callId"])
        if entry is None:
            return
        match event.type:
            case "approval/asked":
                entry.asked = event
            case "approval/decided":
                entry.call, entry.decided = _answered(entry, event), True
            case "permission/decided":
                ended: Ended = "allowed" if data["decision"] == "allow" else "refused"
                entry.decided = True
                entry.call = replace(
                    entry.call,
                    time=event.time,
                    ended=ended,
                    decider="rule",
                    by=data["rule"],
                    scope=data["scope"],
                )
            case "tool/result":
                self._result(entry, data)

    def _begun(self, event: Event) -> PastCall:
        data = event.data
        return PastCall(
            session_id=self._session_id,
            call_id=data["callId"],
            tool=data["name"],
            arguments=_kept(data["arguments"]),
            cwd=self._cwd,
            time=event.time,
            ended="allowed",
            decider="mode",
            by=self._mode,
        )

    def _result(self, entry: _Open, data: Mapping[str, Any]) -> None:  # Any: JSON of tool/result
        del self._open[data["callId"]]
        code = (data.get("error") or {}).get("code")
        if not entry.decided and code in _UNDECIDED:
            return
        if not entry.decided and code == "TOOL_DENIED":
            decider: Decider = "mode" if entry.call.by == PLANNING else "plugin"
            by = entry.call.by if decider == "mode" else "a plugin"
            entry.call = replace(entry.call, ended="refused", decider=decider, by=by)
        elif entry.call.ended == "allowed" and code == "TOOL_DENIED":
            entry.call = replace(entry.call, ended="refused", decider="plugin", by="a guard", scope="")
        elif entry.call.ended == "allowed" and code in _NOT_RUN:
            entry.call = replace(entry.call, ended="not run", decider="stopped", by="cancel", scope="")
        self.calls.append(entry.call)


def session_calls(
    header: Mapping[str, Any], events: Iterable[Event]
) -> SessionCalls:  # Any: JSON of a header
    """The calls of one log that have a result, oldest first. Events of other types change nothing."""
    fold = _Fold(header)
    inherited = header.get("seedLength", 0)
    for event in events:
        try:
            fold.look(event, inherited=event.seq < inherited)
        except (KeyError, TypeError, AttributeError):  # a damaged record is no decision
            continue
    return SessionCalls(str(header.get("id", "")), fold.title.title, tuple(fold.calls))


def _answered(entry: _Open, event: Event) -> PastCall:
    data = event.data
    ended, decider = _OUTCOMES.get(data["outcome"], ("refused", "nobody"))
    asked = entry.asked
    return replace(
        entry.call,
        time=event.time,
        ended=ended,
        decider=decider,
        by=data["by"],
        why="" if asked is None else str(asked.data.get("reason") or ""),
        asked_by="" if asked is None else str(asked.data.get("by") or ""),
        took_ms=None if asked is None else max(0, event.time - asked.time),
        words=str(data.get("replacement") or data.get("feedback") or ""),
        rules=tuple(data.get("rules") or ()),
        scope=str(data.get("scope") or ""),
    )


def _kept(raw: str) -> Mapping[str, object]:
    arguments = parse_arguments(raw)
    if not isinstance(arguments, Mapping):
        return {}
    return dict(_cut(arguments))


def _cut(arguments: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in arguments.items():
        if isinstance(value, str):
            yield name, value if name in _WHOLE else value[:LONGEST_ARGUMENT]
        elif value is None or isinstance(value, bool | int | float) or len(repr(value)) <= LONGEST_ARGUMENT:
            yield name, value
