"""What rules say of a call. Source: design §3.15."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.permissions.rule import Effect, Rule


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rules' word on one call."""

    decision: Effect | None
    """None: no rule speaks of it; the mode decides."""
    rule: Rule | None
    """The rule that decided; of a line with several commands the first one used."""
    why: str
    """One sentence for a person."""
