"""All checks of a log, run over one that is stored.

Source: core spec §9; design §4 (``sessions verify``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.invariants.log.approval import ApprovalCheck
from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.invariants.log.compact import CompactCheck
from dsh_tui.engine.invariants.log.facts import ModeCheck, TitleCheck, TodoCheck
from dsh_tui.engine.invariants.log.llm import LlmCheck
from dsh_tui.engine.invariants.log.request import RequestCheck
from dsh_tui.engine.invariants.log.retry import RetryCheck
from dsh_tui.engine.invariants.log.session import SessionCheck
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.verify import last_imported

COMPANIONS: tuple[Callable[[], LogCheck], ...] = (
    LlmCheck,
    RequestCheck,
    ApprovalCheck,
    RetryCheck,
    CompactCheck,
    TodoCheck,
    TitleCheck,
    ModeCheck,
)
"""The checks beside the session's own, which comes first: they may take the shape of events for granted."""


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """The first event that breaks a rule, and whose rule it is."""

    seq: int
    owner: str
    rule: str


def check_log(events: Sequence[Event], *, foreign: bool = False) -> BrokenRule | None:
    """None for a sound log. An open turn at its end is sound: the session may be running.

    ``foreign``: another program's. What it wrote, there or in a copy of ours, has to keep the session's
    rules only.
    """
    imported = len(events) - 1 if foreign else last_imported(events)
    checks = [SessionCheck(imported), *(make() for make in COMPANIONS)]
    for event in events:
        concerned = [
            check
            for check in checks
            if check.concerns(event) and (event.seq > imported or check.judges_imported)
        ]
        try:
            for check in concerned:
                check.check(event)
        except InvariantError as error:
            return BrokenRule(event.seq, error.owner, error.rule)
        for check in concerned:
            check.advance(event)
    return None
