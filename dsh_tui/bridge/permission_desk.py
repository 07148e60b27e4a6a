"""Permissions as a screen sees them: rules in force, the ledger of all sessions, and dry runs.

Logs are read in a thread, a moment's worth at a time, so that what is known is seen at once.
Source: design §4, §5; ux spec §3.6, §3.7.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from dsh_tui.engine.permissions.book import SCOPES, Permissions, Scope, ScopedUnread
from dsh_tui.engine.permissions.dry_run import dry_run
from dsh_tui.engine.permissions.hits import Hits
from dsh_tui.engine.permissions.ledger import PastCall, SessionCalls
from dsh_tui.engine.permissions.past_calls import one_line_of
from dsh_tui.engine.permissions.rule import Rule, RuleError
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.product import Product
from dsh_tui.engine.projection.permission_views import DecisionRow, DryRunView, LedgerView, RuleRow
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.definition import ToolKind
from dsh_tui.engine.tools.registry import TOOLS

SLICE: Final = 0.25
"""Seconds for which logs are read before what was found is shown."""
BREATH: Final = 0.0005
"""Seconds after each log in which others get on."""

_Decision: TypeAlias = tuple[PastCall, DecisionRow]


class PermissionDesk:
    """Implements the screens' `PermissionsPort`."""

    def __init__(self, product: Product, shown: Callable[[], Session | None]) -> None:
        """``shown`` gives the session on the screen, if it can be written."""
        self._product, self._root = product, product.engine.root
        self._shown = shown
        self._known: list[_Decision] = []
        """All that are read, newest first."""
        self._rows: dict[str, tuple[SessionCalls, list[_Decision]]] = {}
        """By session, as they were read."""
        self._all_read = False
        """Whether every log was read once, so that hits can be told."""

    async def rules(self) -> Sequence[RuleRow]:
        """What can't be read, then those in force, nearest scope first, with the hits that are known."""
        session = self._session()
        hits = await asyncio.to_thread(Hits.of, [call for call, _ in self._known])
        readable = [
            RuleRow(
                rule=one.rule.text,
                scope=one.scope,
                since=one.since,
                hits=hits.count(one.rule, one.scope, session.id) if self._all_read else None,
            )
            for one in self._book.rules(session)
        ]
        return [*map(_unread_row, self._book.unread(session)), *readable]

    async def revoke(self, row: RuleRow) -> None:
        """Take it out of force.

        Raises:
            Exception: with one clear line; it is in force still.
        """
        if row.unread:
            self._book.revoke_unread(self._session(), _unread(row))
        else:
            await self._book.revoke(self._session(), Rule.parse(row.rule), _scope(row))

    async def restore(self, row: RuleRow) -> None:
        """Put a revoked one back where it was. Raises as `revoke` does."""
        if row.unread:
            self._book.restore_unread(self._session(), _unread(row))
        else:
            await self._book.add(self._session(), (Rule.parse(row.rule),), _scope(row))

    async def decisions(self) -> AsyncIterator[LedgerView]:
        """What is known at once, then again as logs are read; ends when all are, in their order."""
        sessions = self._product.permissions.past.sessions()
        found: list[_Decision] = []
        done = False
        while not done:
            done = await asyncio.to_thread(self._read_slice, sessions, found)
            if done:
                found = await asyncio.to_thread(_newest_first, found)
                self._all_read = True
            if done or len(found) >= len(self._known):
                self._known = found
                yield LedgerView([row for _, row in found], done)

    async def try_rule(self, text: str) -> DryRunView:
        """What this rule would have made of the calls that are known. A newer question ends an older one."""
        stopped = threading.Event()
        try:
            return await asyncio.to_thread(self._try, text, stopped.is_set)
        finally:
            stopped.set()

    @property
    def _book(self) -> Permissions:
        return self._product.permissions

    def _read_slice(self, sessions: Iterator[SessionCalls], found: list[_Decision]) -> bool:
        """Read for a moment; whether all is read."""
        due = time.monotonic() + SLICE
        for session in sessions:
            known = self._rows.get(session.session_id)
            if known is None or known[0] is not session:
                rows = [(call, _row(call, session.title)) for call in reversed(session.calls)]
                known = self._rows[session.session_id] = (session, rows)
                time.sleep(BREATH)  # whoever draws goes first
            found.extend(known[1])
            if time.monotonic() > due:
                return False
        return True

    def _try(self, text: str, stopped: Callable[[], bool]) -> DryRunView:
        try:
            rule = Rule.typed(text)
        except RuleError as error:
            return DryRunView(fault=error.message)
        rows = {id(call): row for call, row in self._known}
        run = dry_run((rule,), [call for call, _ in self._known], self._kind_of, stopped)
        surprising = (*run.allowed_but_refused, *run.denied_but_allowed)
        seen = {id(call) for call in surprising}
        others = (call for call in (*run.allowed, *run.asked, *run.denied) if id(call) not in seen)
        return DryRunView(run.summary, [rows[id(call)] for call in (*surprising, *others)])

    def _kind_of(self, tool: str) -> ToolKind:
        definition = self._root[TOOLS].get(None, tool)
        return "other" if definition is None else definition.kind

    def _session(self) -> Session:
        """The one on the screen; where that can't be written, one in its place that nobody knows."""
        return self._shown() or self._nobodys

    @cached_property
    def _nobodys(self) -> Session:
        """One for all times: what is kept beside a session is kept until it ends, and this one never does."""
        return self._root[SESSIONS].prepare(meta={"cwd": str(self._product.cwd)})


def _newest_first(found: Sequence[_Decision]) -> list[_Decision]:
    return sorted(found, key=lambda decision: -decision[0].time)


def _row(call: PastCall, title: str) -> DecisionRow:
    return DecisionRow(
        one_line_of(call),
        call.time,
        call.ended,
        call.decider,
        call.by,
        call.why,
        call.took_ms,
        call.words or ", ".join(call.rules),
        call.session_id,
        title,
    )


def _unread_row(one: ScopedUnread) -> RuleRow:
    rule = one.rule
    return RuleRow(rule=rule.text, scope=one.scope, since=one.since, unread=rule.effect_now, why=rule.why)


def _unread(row: RuleRow) -> ScopedUnread:
    return ScopedUnread(UnreadRule.of(row.rule, row.why), _scope(row))


def _scope(row: RuleRow) -> Scope:
    return next(scope for scope in SCOPES if scope == row.scope)
