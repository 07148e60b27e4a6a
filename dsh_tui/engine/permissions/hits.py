"""How often each rule decided: a count over the ledger. Source: ux spec §3.7."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dsh_tui.engine.permissions.ledger import PastCall
from dsh_tui.engine.permissions.rule import Rule


@dataclass(frozen=True, slots=True)
class Hits:
    """Counts by scope and rule; a session's own rules are counted in that session only.

    Questions that a rule asked count for that rule wherever it stands: the log does not say where.
    """

    _counts: Counter[tuple[str, str, str]]

    @classmethod
    def of(cls, calls: Iterable[PastCall]) -> Hits:
        """Counts over these calls."""
        counts: Counter[tuple[str, str, str]] = Counter()
        for call in calls:
            if call.asked_by:
                counts[("", call.asked_by, "")] += 1
            if call.decider == "rule":
                counts[(call.scope, call.by, call.session_id if call.scope == "session" else "")] += 1
        return cls(counts)

    def count(self, rule: Rule, scope: str, session_id: str = "") -> int:
        """How often this rule let a call run, refused it, or had it asked about."""
        decided = self._counts[(scope, rule.text, session_id if scope == "session" else "")]
        return decided + self._counts[("", rule.text, "")]
