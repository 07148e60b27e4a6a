"""What the approval dock says about a waiting call: question, who asks, what it acts on, why it asks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual.content import Content

from dsh_tui.engine.base.visible import exact
from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.approval_answers import answers_to, leaves_sandbox
from dsh_tui.widgets.card_rows import Draw, text_rows
from dsh_tui.widgets.columns import cut
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.visible_text import exact_line, one_line
from dsh_tui.widgets.wrap import wrap

MAIN_AGENT: Final = "main agent"
READ_FIRST: Final = "Read it to its end first: f opens it"
READ_DONE: Final = "Read to its end: it can be answered now"
READ_ON: Final = "Not read to its end yet: f opens it again"
READ_RULE_FIRST: Final = "Read the rule to its end first: ↓ scrolls"
SAME_CALL: Final = "That is the call as it was asked: change it, or tab to your own words"
CHOOSE_FIRST: Final = "Choose an answer first: ← →, or press its key"
OF_ONE_QUESTION: Final = frozenset({READ_FIRST, READ_DONE, READ_ON, READ_RULE_FIRST, SAME_CALL, CHOOSE_FIRST})
"""What is said of one question, and of no other."""
Hint: TypeAlias = tuple[str, str]
"""What the keys do now, at length and in short."""
REFUSING: Final[dict[str, Hint]] = {
    "words": (
        "enter denies and tells the model · tab: what instead · esc back",
        "enter denies · tab · esc back",
    ),
    "instead": (
        "enter denies and asks for this; it is not run · tab: your words · esc back",
        "enter denies, runs nothing · esc",
    ),
}
IN_ANSWERS: Final[Hint] = (
    "← → choose · enter answers · esc stops the turn",
    "← → · enter · esc stops the turn",
)
IN_RULE: Final[Hint] = ("← → choose · enter takes it · esc back to the answers", "← → · enter · esc back")
ARMING: Final[Hint] = ("keys take effect in a moment ░░░", "keys in a moment ░░░")
REVIEW: Final[Hint] = ("F8 review", "F8 review")
RECORDED: Final[Hint] = ("recorded: here a person decides", "recorded")
_LEAST_WHO: Final = 8
_LONG_DANGER: Final = 48
_PATH: Final = 40
"""Characters of a folder that the dock shows; a longer one is whole in the explanation."""
_EXPLAINED: Final = {
    "allow": "1  runs now, as shown; the next one asks again",
    "session": "2  shows the rule for such calls in this session, before it is kept",
    "always": "3  as 2, for this project or for all of yours",
    "deny": "4  does not run; the model is told that you refused",
    "say_why": "5  as 4, with your words, or with what should be done instead",
}
_PLAN_EXPLAINED: Final = {
    "allow": "1  leaves plan mode; the model may begin",
    "deny": "4  stays in plan mode; the model goes on planning",
    "say_why": "5  as 4, with your words, or with another plan",
}
_SAID_BY_THE_QUESTION: Final = frozenset(
    {"The agent wants to run a command.", "The agent wants to change a file."}
)
_STOPS: Final = "esc  stops the whole turn; nothing that waits will run"


def question(approval: ApprovalView) -> str:
    """What is asked."""
    card = approval.card
    outside = " outside the sandbox" if leaves_sandbox(approval) else ""
    if card.kind == "command":
        return f"Run a command{outside}?"
    if card.kind == "plan":
        return "Carry out this plan?"
    if card.kind == "diff" and card.diff is not None:
        return f"{'Create' if card.diff.created else 'Change'} a file{outside}?"
    return f"Allow {cut(one_line(approval.verb or approval.tool), 30)}?"


def refusal(approval: ApprovalView, form: str) -> str:
    """What is written to it."""
    if approval.card.kind == "plan":
        return "Keep planning, and say…" if form == "words" else "Keep planning, with another plan"
    return "Deny, and say why" if form == "words" else "Deny, and say what instead"


def counter(approval: ApprovalView, pending: Sequence[ApprovalView], *, brief: bool = False) -> str:
    """Where it stands among the calls of its step, and how many wait beside these."""
    of_what = "/" if brief else " of "
    if approval.place is None or approval.place[1] <= 1:
        at = pending.index(approval) + 1
        return f"{at}{of_what}{len(pending)}" if len(pending) > 1 else ""
    index, of = approval.place
    others = sum(not _of_one_step(approval, other) for other in pending)
    beside = f" +{others}" if brief else f", {others} elsewhere"
    return f"{index}{of_what}{of}{beside if others else ''}"


def _of_one_step(one: ApprovalView, other: ApprovalView) -> bool:
    return (one.session_id, one.agent) == (other.session_id, other.agent) and other.place is not None


def asker(approval: ApprovalView, project: str, *, brief: bool = False) -> str:
    """Who wants it: the agent's path, and where that is when it is not the session on screen."""
    agent = one_line(approval.agent) or MAIN_AGENT
    if brief:  # every subagent has the main agent above it
        agent = agent.removeprefix(f"{MAIN_AGENT} › ")
    if approval.session_title:
        return f"in “{cut(one_line(approval.session_title), 40)}” · {agent}"
    return f"{agent} · {cut(one_line(project), 40)}"


def is_elsewhere(approval: ApprovalView) -> bool:
    """Whether another than the main agent of the session on screen asks."""
    return bool(approval.session_title or approval.agent)


def title_line(
    asked: str, approval: ApprovalView, pending: Sequence[ApprovalView], project: str, width: int
) -> Content:
    """The dock's title: the question at the left, who asks at the right of the border."""
    elsewhere = is_elsewhere(approval)
    for brief_count, brief_path in ((False, False), (True, False), (True, True)):
        who = asker(approval, project, brief=brief_path)
        count = counter(approval, pending, brief=brief_count)
        left = Content.styled(f"{asked}  {count}" if count else asked, "bold")
        room = width - left.cell_length - 3
        if room >= cell_len(who):
            break
    if room < (_LEAST_WHO if elsewhere else cell_len(who)):
        return left.truncate(max(1, width), ellipsis=True)
    who = cut(who, room)
    rule = "─" * (room - cell_len(who) + 1)
    look = "bold $waiting" if elsewhere else "not bold $dim"
    return Content.assemble(left, (f" {rule} ", "not bold"), (who, look))


def head_line(approval: ApprovalView, *, brief: bool = False) -> Content:
    """What it acts on; ``brief``: there is no other place to say that it is another who asks."""
    card = approval.card
    if brief and is_elsewhere(approval):
        return Content.styled(asker(approval, "", brief=True), "bold $waiting")
    if card.kind == "diff" and card.diff is not None:
        return Content.assemble(
            (exact_line(card.diff.path), "bold"),
            (f"   +{card.diff.added}", "$ok"),
            (f" −{card.diff.removed}", "$error"),
        )
    if card.kind == "command":
        told = one_line(card.description)
        return Content.styled(told or "No description given", "bold" if told else "$dim")
    if card.kind == "plan":
        return Content.styled("What the model wants to do once you approve", "bold")
    return Content.styled(exact_line(approval.subject) or approval.tool, "bold")


def facts_line(approval: ApprovalView) -> Content:
    """Where it acts, and why it asks, unless the question says no less."""
    where = _from_its_end(one_line(approval.card.cwd or approval.cwd), _PATH)
    why = "" if approval.reason in _SAID_BY_THE_QUESTION else one_line(approval.reason)
    facts = (f"in {where}" if where else "", why)
    if leaves_sandbox(approval):  # the reason is the agent's own, and what there is to weigh
        return Content.assemble((facts[1], "$waiting"), (f" · {facts[0]}" if facts[0] else "", "$dim"))
    return Content.styled(" · ".join(filter(None, facts)), "$dim")


def _from_its_end(path: str, characters: int) -> str:
    return path if len(path) <= characters else f"…{path[1 - characters :]}"


def danger_line(approval: ApprovalView, *, read: bool, brief: bool = False) -> Content:
    """What is dangerous in it, and what must be done before it can be allowed."""
    told = one_line(approval.danger)
    told = f"{told[:1].upper()}{told[1:]}"
    if brief or (len(told) > _LONG_DANGER and not read):  # what is to be done must not be cut
        return Content.styled(f"▲ {told}" if read else f"▲ f first · {told}", "bold $error")
    after = "read to its end" if read else "read it in full first: f"
    return Content.assemble((f"▲ {told}", "bold $error"), (f"   {after}", "$dim" if read else "$error"))


def out_of_view(above: int, below: int, *, brief: bool = False) -> str:
    """How much of a card is not to be seen, and how to see it; empty when all of it is."""
    if brief:
        return " ".join(filter(None, (f"▲ {above:,}" if above else "", f"▼ {below:,} more" if below else "")))
    parts = [f"▲ {above:,} {_lines(above)} above"] if above else []
    parts += [f"▼ {below:,} more {_lines(below)}"] if below else []
    return "   ".join([*parts, "↑ ↓ scroll"]) if parts else ""


def _lines(count: int) -> str:
    return "line" if count == 1 else "lines"


def replaceable(approval: ApprovalView) -> str:
    """The call's own text, to be changed into what should be done instead."""
    card = approval.card
    if card.kind in ("command", "plan"):
        return exact(card.text)
    try:
        return exact(json.dumps(json.loads(approval.arguments), ensure_ascii=False, indent=2))
    except ValueError:
        return exact(approval.arguments or card.text)


def explanation(approval: ApprovalView) -> Draw:
    """Why it asks, and what each answer does."""

    def draw(width: int, palette: Palette) -> list[Row]:
        rows = text_rows(approval.reason or "The mode asks before this tool acts.", width, palette)
        by = f", asked by {one_line(approval.asked_by)}" if approval.asked_by else ""
        where = one_line(approval.card.cwd or approval.cwd)
        rows += wrap([Segment(f"Tool {one_line(approval.tool)}{by}, in {where}", palette.dim)], width)
        if approval.danger:
            rows += wrap(
                [
                    Segment(
                        f"It {one_line(approval.danger)}: allowing it needs the full view first.",
                        palette.error,
                    )
                ],
                width,
            )
        words = _PLAN_EXPLAINED if approval.card.kind == "plan" else _EXPLAINED
        told = [words[answer.name] for answer in answers_to(approval) if answer.name in words]
        for line in (*told, _STOPS):
            rows += wrap([Segment(line, palette.text)], width)
        return rows

    return draw
