"""Views of permissions: the rules in force, past decisions, and what a rule would have made of them.

Text in views is raw: whoever draws it makes control characters visible. Source: design §4, §5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Ended = Literal["allowed", "refused", "not answered", "not run"]
Decider = Literal["person", "rule", "mode", "plugin", "nobody", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """A rule in force, or one that can't be read."""

    rule: str
    """Its whole text, ``allow bash(git log *)``."""
    scope: str
    since: int | None = None
    """Epoch milliseconds; None where nobody wrote it down."""
    hits: int | None = None
    """How often it decided; None while that is being counted."""
    unread: str = ""
    """What it comes to because it can't be read; empty if it can."""
    why: str = ""
    """Why it can't be read."""


class DecisionRow(NamedTuple):
    """A past call and how it was decided. A tuple, because there are many of them."""

    call: str
    """The call in one line."""
    time: int
    ended: Ended
    decider: Decider
    by: str
    """The mode, the rule's text, or who answered."""
    why: str
    took_ms: int | None
    words: str
    """What a person said with a refusal, or the rules that were kept with an allow."""
    session_id: str
    session_title: str


@dataclass(frozen=True, slots=True)
class LedgerView:
    """The decisions that are known so far, newest first once all are read."""

    rows: Sequence[DecisionRow] = ()
    """Where logs are still read, newest session first."""
    done: bool = False
    """Whether all logs are read."""


@dataclass(frozen=True, slots=True)
class DryRunView:
    """What a typed rule would have made of the past: in one line, and which calls, surprises first."""

    summary: str = ""
    rows: Sequence[DecisionRow] = ()
    fault: str = ""
    """Why the text is no rule yet."""
