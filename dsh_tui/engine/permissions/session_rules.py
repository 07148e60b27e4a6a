"""Rules that hold in one session only: the last word of its log on each, without what a fork inherited.

Source: core spec §6 (Ask); design §3.15.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.permissions.rule import Rule, RuleError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED, SESSION_EVENT

RULE_ADDED: Final = "permission/rule"
RULE_REVOKED: Final = "permission/revoked"
TRIGGER: Final = "permission-rule"

_log = logging.getLogger(__name__)


class SessionRules:
    """The rules of every live session, kept current with its log."""

    def __init__(self, ctx: Context) -> None:
        self._rules: dict[str, dict[Rule, int]] = {}
        """By session: each rule and since when it holds."""
        ctx.on(SESSION_EVENT, self._follow)
        ctx.on(SESSION_DISPOSED, self._forget)

    def of(self, session: Session) -> tuple[tuple[Rule, int], ...]:
        """Each rule and since when it holds, oldest first."""
        return tuple(self._known(session).items())

    def add(self, session: Session, rules: Sequence[Rule], *, by: str) -> None:
        """Log those that do not hold yet."""
        for rule in rules:
            if rule not in self._known(session):
                append_idle(session, TRIGGER, RULE_ADDED, {"rule": rule.text, "by": by})

    def revoke(self, session: Session, rule: Rule, *, by: str) -> None:
        """Log that it holds no longer, if it does."""
        if rule in self._known(session):
            append_idle(session, TRIGGER, RULE_REVOKED, {"rule": rule.text, "by": by})

    def _known(self, session: Session) -> dict[Rule, int]:
        if session.id not in self._rules:
            found = self._rules[session.id] = {}
            inherited = session.header.get("seedLength", 0)
            for row in session.events.rows(inherited):
                if isinstance(row, Event):
                    _fold(found, row)
        return self._rules[session.id]

    def _follow(self, session: Session, event: Event) -> None:
        if event.type in (RULE_ADDED, RULE_REVOKED) and session.id in self._rules:
            _fold(self._rules[session.id], event)

    def _forget(self, session: Session) -> None:
        self._rules.pop(session.id, None)


def _fold(rules: dict[Rule, int], event: Event) -> None:
    if event.type not in (RULE_ADDED, RULE_REVOKED):
        return
    try:
        rule = Rule.parse(event.data["rule"])
    except RuleError as error:  # of a newer version of this program: what is not understood allows nothing
        _log.warning("event %s: %s", event.seq, error.message)
        return
    if event.type == RULE_ADDED:
        rules.setdefault(rule, event.time)
    else:
        rules.pop(rule, None)
