"""Modes: how much an agent may do without being asked, per session, kept in its log.

The mode is the last ``permission/mode`` of the log, else the configured default; but ``full`` counts
only where it was said, not in a fork and not after a restart. A session that
has had no turn yet remembers its choice and logs it when the first turn opens, so that the first
prompt stays turn 1. Source: design §3.16.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.kernel import Context, Disposer, ServiceKey
from dsh_tui.engine.modes.mode import CONFINED, DEFAULT_MODE, FULL_ACCESS, MODES_KNOWN, Mode
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED, SESSION_EVENT
from dsh_tui.engine.tools.definition import ToolCall

MODE_EVENT = "permission/mode"
TRIGGER = "permission-mode"


class UnknownModeError(HarnessError):
    """No such mode, or none that can be had here."""

    code = "UNKNOWN_MODE"


@dataclass(frozen=True, slots=True)
class _Logged:
    mode: Mode
    seq: int


class Modes:
    """The mode of every session. Published under `MODES`."""

    def __init__(self, ctx: Context, *, default: Mode = DEFAULT_MODE) -> None:
        self._default = default
        self._logged: dict[str, _Logged | None] = {}
        self._chosen: dict[str, Mode] = {}
        self._checks: dict[Mode, Callable[[], object]] = {}
        ctx.on(SESSION_EVENT, self._follow)
        ctx.on(SESSION_DISPOSED, self._forget)

    def current(self, session: Session) -> Mode:
        """The mode that the session's next call is decided in."""
        if (chosen := self._chosen.get(session.id)) is not None:
            return chosen
        logged = self._last_logged(session)
        return self._default if logged is None or _has_lapsed(session, logged) else logged.mode

    def admit(self, call: ToolCall) -> Mode:
        """The mode that decides on this call. It stays the call's own, whatever is switched meanwhile."""
        mode = self.current(call.session)
        call.admission.mode = mode
        return mode

    def admitted(self, call: ToolCall) -> Mode:
        """The mode that decided on this call; where none did, the session's."""
        mode = call.admission.mode
        return self.current(call.session) if mode is None else cast("Mode", mode)

    def require(self, ctx: Context, mode: Mode, check: Callable[[], object]) -> Disposer:
        """Let ``mode`` be chosen only while the caller's fiber lives and ``check`` does not raise."""

        def install() -> Iterator[Callable[[], object]]:
            self._checks[mode] = check
            yield lambda: self._checks.pop(mode)

        return ctx.effect(install)

    def check(self, name: str) -> Mode:
        """The mode of this name, if it can be chosen here.

        Raises:
            UnknownModeError: there is no such mode, or nothing here backs it.
            HarnessError: what backs it can't be used, and why.
        """
        mode = next((mode for mode in MODES_KNOWN if mode == name), None)
        if mode is None:
            raise UnknownModeError(f"There is no mode {name!r}; the modes: {', '.join(MODES_KNOWN)}.")
        if mode in self._checks:
            self._checks[mode]()
        elif mode == CONFINED:
            raise UnknownModeError("Mode sandbox can't be chosen: nothing here confines commands.")
        return mode

    def offers(self, name: str) -> bool:
        """Whether the mode can be chosen here."""
        try:
            self.check(name)
        except HarnessError:
            return False
        return True

    def set(self, session: Session, mode: str) -> None:
        """Switch the mode, from the next call on. Setting what is already set logs nothing.

        Raises:
            HarnessError: the mode can't be had; nothing changed.
        """
        if session.last_turn == 0:
            self.start_in(session, mode)
        elif mode != self.current(session):
            append_idle(session, TRIGGER, MODE_EVENT, {"mode": self.check(mode)})

    def start_in(self, session: Session, mode: str) -> None:
        """The same, but logged when the next turn opens: for a front end that was told the mode.

        Raises:
            HarnessError: the mode can't be had; nothing changed.
        """
        if mode != self.current(session):
            self._chosen[session.id] = self.check(mode)

    def _follow(self, session: Session, event: Event) -> None:
        if event.type == MODE_EVENT:
            self._logged[session.id] = _read(event)
            self._chosen.pop(session.id, None)
        elif event.type == "turn/start" and session.open_turn is not None:
            logged = self._last_logged(session)
            mode = self.current(session)
            lapsed = logged is not None and _has_lapsed(session, logged)
            if lapsed or mode != (DEFAULT_MODE if logged is None else logged.mode):
                session.append(MODE_EVENT, {"mode": mode})

    def _last_logged(self, session: Session) -> _Logged | None:
        if session.id not in self._logged:
            rows = session.events.rows()
            found = [row for row in rows if isinstance(row, Event) and row.type == MODE_EVENT]
            self._logged[session.id] = _read(found[-1]) if found else None
        return self._logged[session.id]

    def _forget(self, session: Session) -> None:
        self._logged.pop(session.id, None)
        self._chosen.pop(session.id, None)


def _has_lapsed(session: Session, logged: _Logged) -> bool:
    """Whether it is full access that was given to another session, or to an earlier process."""
    return logged.mode == FULL_ACCESS and logged.seq < session.first_live_seq


def _read(event: Event) -> _Logged:
    """A mode from the log; one that this program does not know is the careful one."""
    mode = event.data["mode"]
    return _Logged(cast("Mode", mode) if mode in MODES_KNOWN else DEFAULT_MODE, event.seq)


MODES: ServiceKey[Modes] = ServiceKey("modes")
