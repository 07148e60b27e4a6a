"""A dry run: what rules would have made of calls that were made. Pure. Source: ux spec §3.6."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.ledger import PastCall
from dsh_tui.engine.permissions.rule import Effect, Rule
from dsh_tui.engine.tools.definition import ToolKind

_BREATH: Final = 0.004
"""Seconds of work after which another thread gets its turn."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """Which of all past calls the rules speak of, by what they say. Newest first, as they were given."""

    rules: tuple[Rule, ...]
    total: int
    allowed: tuple[PastCall, ...] = ()
    asked: tuple[PastCall, ...] = ()
    denied: tuple[PastCall, ...] = ()

    @property
    def allowed_but_refused(self) -> tuple[PastCall, ...]:
        """Calls that would run and that a person refused then."""
        return tuple(call for call in self.allowed if call.was_refused_by_person)

    @property
    def denied_but_allowed(self) -> tuple[PastCall, ...]:
        """Calls that would be refused and that ran then."""
        return tuple(call for call in self.denied if call.ended == "allowed")

    @property
    def summary(self) -> str:
        """In one line: ``would allow 41 of 63, among them 2 you refused``."""
        parts = []
        if self.allowed or not (self.asked or self.denied):
            parts.append(f"would allow {len(self.allowed):,} of {self.total:,}")
            if self.allowed:
                parts.append(f"among them {_count(len(self.allowed_but_refused))} you refused")
        if self.asked:
            parts.append(f"would ask about {len(self.asked):,} of {self.total:,}")
        if self.denied:
            parts.append(f"would deny {len(self.denied):,} of {self.total:,}")
            parts.append(f"among them {_count(len(self.denied_but_allowed))} that ran")
        return ", ".join(parts)


def dry_run(
    rules: Sequence[Rule],
    calls: Iterable[PastCall],
    kind_of: Callable[[str], ToolKind],
    stopped: Callable[[], bool] = lambda: False,
) -> DryRun:
    """Try the rules on every call. Equal calls in one folder are judged once."""
    tools = {rule.tool for rule in rules}
    known: dict[tuple[str, str, str], Effect | None] = {}
    found: dict[Effect, list[PastCall]] = {"allow": [], "ask": [], "deny": []}
    total = 0
    due = time.monotonic() + _BREATH
    for call in calls:
        total += 1
        if call.tool not in tools:
            continue
        if time.monotonic() > due:
            if stopped():
                break
            time.sleep(0)  # whoever draws must not wait for a long list
            due = time.monotonic() + _BREATH
        key = (call.tool, call.cwd, dumps(call.arguments))
        if key not in known:
            verdict = judge(rules, call.facts(kind_of(call.tool)))
            known[key] = None if verdict.rule is None else verdict.decision
        decision = known[key]
        if decision is not None:
            found[decision].append(call)
    return DryRun(tuple(rules), total, *(tuple(found[effect]) for effect in ("allow", "ask", "deny")))


def _count(number: int) -> str:
    return f"{number:,}" if number else "none"
