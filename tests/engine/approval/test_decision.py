"""Mode and rules, every pair of what they can say of a call."""

from __future__ import annotations

import pytest

from dsh_tui.engine.approval.decision import combine
from dsh_tui.engine.permissions.book import Judgement
from dsh_tui.engine.permissions.rule import Effect, Rule
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.permissions.verdict import Verdict
from dsh_tui.engine.sandbox.escalation import ESCALATION
from dsh_tui.engine.tools.decisions import BY_MODE, Allow, Ask, Deny, PreDecision

RUN, MODE_ASKS, OTHER_ASKS, REFUSE = Allow(), Ask("why", by=BY_MODE), Ask("why", by=ESCALATION), Deny("no")
MODE_SAYS = {"allow": RUN, "ask": MODE_ASKS, "other": OTHER_ASKS, "deny": REFUSE}


def judged(effect: Effect | None) -> Judgement:
    rule = None if effect is None else Rule(effect, "bash", "x")
    return Judgement(Verdict(effect, rule, "why"), "user")


@pytest.mark.parametrize("by_mode", MODE_SAYS.values(), ids=MODE_SAYS)
def test_without_a_rule_the_mode_decides(by_mode: PreDecision) -> None:
    for judgement in (judged(None), Judgement(Verdict("ask", None, "not understood"))):
        ruled = combine(by_mode, judgement)
        assert (ruled.decision, ruled.by_rule) == (by_mode, False)


@pytest.mark.parametrize(
    ("by_mode", "decision", "by_rule"),
    [(RUN, RUN, False), (MODE_ASKS, RUN, True), (OTHER_ASKS, OTHER_ASKS, False), (REFUSE, REFUSE, False)],
)
def test_an_allow_rule_answers_the_modes_question_and_nothing_else(
    by_mode: PreDecision, decision: PreDecision, by_rule: bool
) -> None:
    ruled = combine(by_mode, judged("allow"))
    assert (ruled.decision, ruled.by_rule) == (decision, by_rule)


@pytest.mark.parametrize("by_mode", [RUN, MODE_ASKS])
def test_an_ask_rule_asks_in_its_own_name(by_mode: PreDecision) -> None:
    ruled = combine(by_mode, judged("ask"))
    assert isinstance(ruled.decision, Ask)
    assert (ruled.decision.by, ruled.by_rule) == ("ask bash(x)", False)


def test_a_rule_that_cant_be_read_asks_even_if_nothing_is_left_of_it() -> None:
    ruled = combine(RUN, Judgement(Verdict("ask", None, "why"), "session", UnreadRule(" ", "why")))
    assert ruled.decision == Ask("why", by="a rule without words")


def test_the_question_of_leaving_the_sandbox_keeps_its_name_and_reason() -> None:
    assert combine(OTHER_ASKS, judged("ask")).decision == OTHER_ASKS


@pytest.mark.parametrize("by_mode", MODE_SAYS.values(), ids=MODE_SAYS)
def test_a_deny_rule_refuses_and_is_named(by_mode: PreDecision) -> None:
    ruled = combine(by_mode, judged("deny"))
    assert isinstance(ruled.decision, Deny)
    assert ruled.by_rule
    assert "bash(x)" in ruled.decision.reason


def test_an_ask_rule_does_not_lift_a_refusal_of_the_mode() -> None:
    assert combine(REFUSE, judged("ask")).decision == REFUSE
