"""How the dock says that a call wants to leave the sandbox."""

from __future__ import annotations

import pytest

from dsh_tui.engine.projection.views import ApprovalView, CardView, DiffView
from dsh_tui.widgets.approval_answers import answers_to, why_not
from dsh_tui.widgets.approval_words import facts_line, question

COMMAND = CardView(kind="command", text="make", cwd="/work")
DIFF = DiffView(path="a", added=1, removed=0, hunks=(), created=False)


def asking(card: CardView, by: str) -> ApprovalView:
    return ApprovalView(
        id="a1",
        call_id="c1",
        tool="bash",
        verb="Run",
        subject="make",
        reason="The agent asks to leave the sandbox, with full access: “It must.”",
        cwd="/work",
        card=card,
        arguments="{}",
        asked_by=by,
    )


@pytest.mark.parametrize(
    ("card", "by", "words"),
    [
        (COMMAND, "mode", "Run a command?"),
        (COMMAND, "sandbox", "Run a command outside the sandbox?"),
        (CardView(kind="diff", text="a", diff=DIFF), "sandbox", "Change a file outside the sandbox?"),
    ],
)
def test_the_question_names_the_sandbox_only_where_it_is_left(card: CardView, by: str, words: str) -> None:
    assert question(asking(card, by)) == words


def test_the_agents_own_reason_comes_before_the_place() -> None:
    told = facts_line(asking(COMMAND, "sandbox")).plain
    assert told == "The agent asks to leave the sandbox, with full access: “It must.” · in /work"
    assert facts_line(asking(COMMAND, "mode")).plain.startswith("in /work · ")


def test_no_rule_is_offered_for_it() -> None:
    assert [answer.name for answer in answers_to(asking(COMMAND, "sandbox"))] == [
        answer.name
        for answer in answers_to(asking(COMMAND, "mode"))
        if answer.name not in ("session", "always")
    ]
    assert why_not(asking(COMMAND, "sandbox"), "2").startswith("No rule lets a call leave the sandbox")
