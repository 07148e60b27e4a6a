"""Past calls of all sessions, read from their logs: newest sessions first, each log once.

Everything that reads runs in a thread; a log is read again only when it has changed.
Source: ux spec §3.6, §3.7.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.rule import Rule

if TYPE_CHECKING:
    from dsh_tui.engine.approval.requests import ApprovalRequest
    from dsh_tui.engine.permissions.ledger import PastCall, SessionCalls
    from dsh_tui.engine.persistence.log_source import FoundLog, LogSource

PATIENCE: Final = 1.0
"""Seconds for which earlier calls are looked for while a person waits to see a proposal."""
LONGEST_LINE: Final = 200

_log = logging.getLogger(__name__)


class PastCalls:
    """Reads the calls of all stored sessions, and remembers them."""

    def __init__(self, sources: Callable[[], Sequence[LogSource]] = tuple) -> None:
        self._sources = sources
        self._known: dict[str, tuple[str, SessionCalls]] = {}
        self._reading = threading.Lock()

    def sessions(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[SessionCalls]:
        """Session by session, the one that was written last first. Blocks while a log is read."""
        logs = [(log, source) for source in self._sources() for log in source.scan()]
        logs.sort(key=lambda item: -item[0].mtime_ns)
        for log, source in logs:
            if stopped():
                return
            yield self._calls_of(log, source)
        gone = self._known.keys() - {log.path for log, _ in logs}
        for path in gone:
            self._known.pop(path, None)

    def calls(self, stopped: Callable[[], bool] = lambda: False) -> list[PastCall]:
        """All of them, newest first. Blocks."""
        found = [call for session in self.sessions(stopped) for call in session.calls]
        found.sort(key=lambda call: -call.time)
        return found

    async def matching(self, rules: Sequence[Rule], request: ApprovalRequest, most: int) -> tuple[str, ...]:
        """Earlier calls that the rules would have allowed, in one line each, newest first.

        Looks for a second at most: who asks waits with a question open.
        """
        return await asyncio.to_thread(self._matching, rules, request, most)

    def _matching(self, rules: Sequence[Rule], request: ApprovalRequest, most: int) -> tuple[str, ...]:
        due = time.monotonic() + PATIENCE
        tools = {rule.tool for rule in rules}
        found: dict[str, None] = {}
        for session in self.sessions(lambda: time.monotonic() > due):
            for call in reversed(session.calls):
                if call.tool not in tools or call.call_id == request.call_id:
                    continue
                if judge(rules, call.facts(request.definition.kind)).decision == "allow":
                    found[one_line_of(call)] = None
                if len(found) == most:
                    return tuple(found)
                if time.monotonic() > due:
                    break
        return tuple(found)

    def _calls_of(self, log: FoundLog, source: LogSource) -> SessionCalls:
        # here, because every command starts with this module, and few look back
        from dsh_tui.engine.permissions.ledger import TYPES, SessionCalls, session_calls

        known = self._known.get(log.path)
        if known is not None and known[0] == log.token:
            return known[1]
        with self._reading:
            try:
                excerpt = source.excerpt(log.path, TYPES)
                calls = session_calls(excerpt.header, excerpt.events)
            except Exception as error:  # noqa: BLE001  # whatever one log does, the others are read
                _log.warning("session log %s: %s", log.path, error)
                calls = SessionCalls("", "", ())
        self._known[log.path] = (log.token, calls)
        return calls


def one_line_of(call: PastCall) -> str:
    """The call in one line: its verb and what it is about."""
    # here, as above
    from dsh_tui.engine.base.lossless import dumps
    from dsh_tui.engine.projection.cards import present_call

    card = present_call(call.tool, dumps(call.arguments))
    return f"{card.verb} {card.subject}"[:LONGEST_LINE]
