"""What the rules make of a call: deny, ask, allow, or nothing. Pure but for looking at paths.

Deny beats ask, ask beats allow. What is not understood is never allowed. Source: design §3.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.rule import Effect, Rule


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one call."""

    decision: Effect | None
    """None: no rule speaks of it; the mode decides."""
    rule: Rule | None
    """The rule that decided; of a line with several commands the first one used."""
    why: str
    """One sentence for a person."""


def judge(rules: Sequence[Rule], call: CallFacts) -> Verdict:
    """The verdict on one call. Never raises."""
    for effect in ("deny", "ask"):
        for rule in rules:
            if rule.effect == effect and rule.tool == call.tool and rule.pattern is None:
                return Verdict(rule.effect, rule, f"{rule.text} covers every call of {call.tool}.")
    return Verdict(None, None, f"`{call.tool}` is not covered by any rule.")
