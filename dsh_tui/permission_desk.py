"""Permissions as a screen sees them: rules in force, the ledger of all sessions, and dry runs.

Logs are read in a thread, a moment's worth at a time, so that what is known is seen at once.
Source: design §4, §5; ux spec §3.6, §3.7.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from dsh_tui.engine.permissions.dry_run import dry_run
from dsh_tui.engine.permissions.hits import Hits
from dsh_tui.engine.permissions.ledger import PastCall, SessionCalls
from dsh_tui.engine.permissions.past_calls import one_line_of
from dsh_tui.engine.permissions.rule import Effect, Rule, RuleError
from dsh_tui.engine.product import Product
from dsh_tui.engine.projection.permission_views import DecisionRow, DryRunView, LedgerView, RuleRow
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.definition import ToolKind
from dsh_tui.engine.tools.registry import TOOLS

SLICE: Final = 0.15
"""Seconds for which logs are read before what was found is shown."""
_EFFECTS: Final[tuple[Effect, ...]] = ("allow", "ask", "deny")


class PermissionDesk:
    """Implements the screens' `PermissionsPort`."""

    def __init__(self, product: Product, shown: Callable[[], Session | None]) -> None:
        """``shown`` gives the session on the screen, if it can be written."""
        self._product, self._root = product, product.engine.root
        self._shown = shown
        self._calls: list[PastCall] = []
        """All that are known, newest first."""
        self._titles: dict[str, str] = {}

    async def rules(self) -> Sequence[RuleRow]:
        """Those in force, nearest scope first, with the hits that are known."""
        session = self._session()
        hits = Hits.of(self._calls)
        return [
            RuleRow(
                rule=one.rule.text,
                scope=one.scope,
                since=one.since,
                hits=hits.count(one.rule, one.scope, session.id),
            )
            for one in self._product.permissions.rules(session)
        ]

    async def revoke(self, row: RuleRow) -> None:
        """Take it out of force.

        Raises:
            Exception: with one clear line; it is in force still.
        """
        rule, permissions = Rule.parse(row.rule), self._product.permissions
        found = [
            one for one in permissions.rules(self._session()) if (one.rule, one.scope) == (rule, row.scope)
        ]
        for one in found:
            await permissions.revoke(self._session(), one.rule, one.scope)

    async def restore(self, row: RuleRow) -> None:
        """Put a revoked one back where it was. Raises as `revoke` does."""
        rule = Rule.parse(row.rule)
        match row.scope:
            case "session" | "project" | "user":
                await self._product.permissions.add(self._session(), (rule,), row.scope)

    async def decisions(self) -> AsyncIterator[LedgerView]:
        """What is known at once, then again as logs are read; ends when all are."""
        sessions = self._product.permissions.past.sessions()
        found: list[PastCall] = []
        done = False
        while not done:
            done = await asyncio.to_thread(self._read_slice, sessions, found)
            if len(found) >= len(self._calls) or done:
                self._calls = found = await asyncio.to_thread(_newest_first, found)
                yield LedgerView(await asyncio.to_thread(self._rows, found), done)

    async def try_rule(self, text: str) -> DryRunView:
        """What this rule would have made of the calls that are known. A newer question ends an older one."""
        stopped = threading.Event()
        try:
            return await asyncio.to_thread(self._try, text, stopped.is_set)
        finally:
            stopped.set()

    def _read_slice(self, sessions: Iterator[SessionCalls], found: list[PastCall]) -> bool:
        due = time.monotonic() + SLICE
        for session in sessions:
            self._titles[session.session_id] = session.title
            found.extend(session.calls)
            if time.monotonic() > due:
                return False
            time.sleep(0)  # whoever draws goes first
        return True

    def _try(self, text: str, stopped: Callable[[], bool]) -> DryRunView:
        words = text.split(maxsplit=1)
        try:
            named = bool(words) and words[0] in _EFFECTS
            rule = Rule.parse(text) if named else Rule.of("allow", text)
        except RuleError as error:
            return DryRunView(fault=error.message)
        run = dry_run((rule,), self._calls, self._kind_of, stopped)
        surprising = (*run.allowed_but_refused, *run.denied_but_allowed)
        seen = {id(call) for call in surprising}
        others = [call for call in (*run.allowed, *run.asked, *run.denied) if id(call) not in seen]
        return DryRunView(run.summary, self._rows((*surprising, *others)))

    def _rows(self, calls: Sequence[PastCall]) -> tuple[DecisionRow, ...]:
        return tuple(
            DecisionRow(
                one_line_of(call),
                call.time,
                call.ended,
                call.decider,
                call.by,
                call.why,
                call.took_ms,
                call.words or ", ".join(call.rules),
                call.session_id,
                self._titles.get(call.session_id, ""),
            )
            for call in calls
        )

    def _kind_of(self, tool: str) -> ToolKind:
        definition = self._root[TOOLS].get(None, tool)
        return "other" if definition is None else definition.kind

    def _session(self) -> Session:
        """The one on the screen; where that can't be written, one in its place that nobody knows."""
        shown = self._shown()
        if shown is not None:
            return shown
        return self._root[SESSIONS].prepare(meta={"cwd": str(Path(self._product.cwd))})


def _newest_first(calls: Sequence[PastCall]) -> list[PastCall]:
    return sorted(calls, key=lambda call: -call.time)
