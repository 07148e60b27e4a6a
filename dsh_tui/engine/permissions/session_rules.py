"""Rules that hold in one session only: the last word of its log on each, without what a fork inherited.

A rule that can't be read is kept beside them and told once: it can be revoked like the others.
Source: core spec §6 (Ask); design §3.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.permissions.rule import Rule, RuleError
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_CREATED, SESSION_DISPOSED, SESSION_EVENT

RULE_ADDED: Final = "permission/rule"
RULE_REVOKED: Final = "permission/revoked"
_TYPES: Final = frozenset({RULE_ADDED, RULE_REVOKED})
TRIGGER: Final = "permission-rule"


@dataclass(frozen=True, slots=True)
class HeldRule:
    """One rule of a session, and since when it holds (epoch ms)."""

    rule: Rule | UnreadRule
    since: int


class SessionRules:
    """The rules of every live session, kept current with its log."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._held: dict[str, dict[str, HeldRule]] = {}
        """By session and text."""
        ctx.on(SESSION_CREATED, self._begin)
        ctx.on(SESSION_EVENT, self._follow)
        ctx.on(SESSION_DISPOSED, self._forget)

    def of(self, session: Session) -> tuple[HeldRule, ...]:
        """Those that hold, and those that can't be read, oldest first."""
        return tuple(self._known(session).values())

    def add(self, session: Session, rules: Sequence[Rule | UnreadRule], *, by: str) -> None:
        """Log those that do not hold yet."""
        for rule in rules:
            if rule.text not in self._known(session):
                append_idle(session, TRIGGER, RULE_ADDED, {"rule": rule.text, "by": by})

    def revoke(self, session: Session, rule: Rule | UnreadRule, *, by: str) -> None:
        """Log that it holds no longer, if it does."""
        if rule.text in self._known(session):
            append_idle(session, TRIGGER, RULE_REVOKED, {"rule": rule.text, "by": by})

    def _known(self, session: Session) -> dict[str, HeldRule]:
        if session.id not in self._held:
            found = self._held[session.id] = {}
            for row in session.events.rows(session.header.get("seedLength", 0)):
                if isinstance(row, Event) and row.type in _TYPES:
                    _fold(found, row)
            for held in found.values():
                self._tell(held.rule)
        return self._held[session.id]

    def _begin(self, session: Session) -> None:
        self._known(session)  # what can't be read is told before anything is asked

    def _follow(self, session: Session, event: Event) -> None:
        if event.type in _TYPES and session.id in self._held:
            _fold(self._held[session.id], event)
            if event.type == RULE_ADDED:
                self._tell(_read(event.data["rule"]))

    def _forget(self, session: Session) -> None:
        self._held.pop(session.id, None)

    def _tell(self, rule: Rule | UnreadRule) -> None:
        if isinstance(rule, UnreadRule):
            told = f"A rule of this session can't be read; until it is revoked, {rule.effect_now}: {rule.why}"
            self._ctx.root.emit(RULES_IGNORED, told)


def _fold(held: dict[str, HeldRule], event: Event) -> None:
    rule = _read(event.data["rule"])
    if event.type == RULE_ADDED:
        held.setdefault(rule.text, HeldRule(rule, event.time))
    else:
        held.pop(rule.text, None)


def _read(text: str) -> Rule | UnreadRule:
    try:
        return Rule.parse(text)
    except RuleError as error:
        return UnreadRule.of(text, error.message)
