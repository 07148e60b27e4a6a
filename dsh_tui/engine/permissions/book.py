"""The book: which rules are in force for a session.

Source: design §3.15.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dsh_tui.engine.permissions.rule import Rule

Scope: TypeAlias = Literal["session", "project", "user"]


@dataclass(frozen=True, slots=True)
class ScopedRule:
    """A rule in force, where it stands, and since when (epoch ms; None if nobody wrote that down)."""

    rule: Rule
    scope: Scope
    since: int | None = None
