"""Permissions without an engine: rules that a test sets, sample decisions, and scripted dry runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from dsh_tui.engine.projection.permission_views import DecisionRow, DryRunView, LedgerView, RuleRow

NOON = 1_763_042_520_000
"""As in `fake_chat`, which needs this module."""
MINUTE = 60_000
FLAKY, KEYS = "Fix the flaky retry test", "Add idempotency keys"


def row(call: str, ago: int, **changes: object) -> DecisionRow:
    made = DecisionRow(call, NOON - ago * MINUTE, "allowed", "person", "user", "", 4_200, "", "s1", FLAKY)
    return made._replace(**changes)  # type: ignore[arg-type]  # fields of the row


def sample_decisions() -> tuple[DecisionRow, ...]:
    """One of every kind, newest first."""
    runs = "The agent wants to run a command."
    by_rule = {"decider": "rule", "took_ms": None}
    return (
        row("Run git log --oneline -5", 1, by="allow bash(git log *)", **by_rule),
        row("Read src/retry.py", 2, decider="mode", by="ask", took_ms=None),
        row("Run pytest tests/test_retry.py -q", 4, why=runs, words="allow bash(pytest *)"),
        row("Run git push origin main", 9, ended="refused", why=runs, took_ms=41_000, words="not to main"),
        row("Run rm -rf build", 12, ended="refused", by="deny bash(rm *)", **by_rule),
        row("Fetch https://example.com/rates", 130, ended="not answered", decider="stopped", by="cancel"),
        row("Run npm test", 1500, ended="refused", decider="nobody", by="nobody", session_title=KEYS),
        row("Run git log -p -3", 2900, ended="refused", why=runs, took_ms=900, session_title=KEYS),
    )


def sample_rules() -> list[RuleRow]:
    return [
        RuleRow(rule="allow bash(pytest *)", scope="session", since=NOON - 4 * MINUTE, hits=0),
        RuleRow(rule="ask edit(deploy/**)", scope="project", hits=2),
        RuleRow(rule="allow bash(git log *)", scope="user", hits=1_204),
        RuleRow(rule="deny bash(rm *)", scope="user", hits=1),
    ]


class FakePermissions:
    """Implements `PermissionsPort`; what is revoked leaves the rules, what is restored comes back."""

    def __init__(self, asked: list[tuple[object, ...]], fails: dict[str, Exception]) -> None:
        self.held: list[RuleRow] = []
        self.decided: tuple[DecisionRow, ...] = ()
        self.runs: dict[str, DryRunView] = {}
        self._asked, self._fails = asked, fails

    async def rules(self) -> Sequence[RuleRow]:
        if "rules" in self._fails:
            raise self._fails["rules"]
        return list(self.held)

    async def revoke(self, row: RuleRow) -> None:
        if "revoke" in self._fails:
            raise self._fails["revoke"]
        self._asked.append(("revoke", row.rule, row.scope))
        self.held.remove(row)

    async def restore(self, row: RuleRow) -> None:
        if "restore" in self._fails:
            raise self._fails["restore"]
        self._asked.append(("restore", row.rule, row.scope))
        self.held.append(row)

    async def decisions(self) -> AsyncIterator[LedgerView]:
        yield LedgerView(self.decided[:2])
        if "decisions" in self._fails:
            raise self._fails["decisions"]
        yield LedgerView(self.decided, done=True)

    async def try_rule(self, text: str) -> DryRunView:
        return self.runs.get(text, DryRunView(fault=f"{text!r} is no rule"))
