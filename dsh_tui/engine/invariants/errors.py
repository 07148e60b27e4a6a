"""The error of a broken invariant."""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class InvariantError(HarnessError):
    """A rule of the engine was about to be broken. ``owner`` names whose rule it is."""

    code = "INVARIANT"

    def __init__(self, owner: str, rule: str) -> None:
        super().__init__(f"{owner}: {rule}")
        self.owner = owner
        self.rule = rule
