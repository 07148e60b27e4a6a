"""Session: numbering, nesting, turn enclosure, calls and results, surface and header rules.

Source: core spec §9 (session), §3.
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.errors import SessionError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.verify import SessionTrace


class SessionCheck(LogCheck):
    """The log is one that `Session.append` would have written."""

    owner: ClassVar[str] = "session"
    judges_imported: ClassVar[bool] = True

    def __init__(self, imported: int = -1) -> None:
        self._trace = SessionTrace(imported=imported)

    def check(self, event: Event) -> None:
        try:
            self._trace.check(event)
        except SessionError as error:
            raise InvariantError(self.owner, error.message) from error

    def advance(self, event: Event) -> None:
        self._trace.advance(event)
