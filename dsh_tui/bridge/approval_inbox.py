"""All questions that wait, whichever session asks: as views for the dock, and with a person's answers.

Those of the session on the screen come from its fold; those of other open sessions are made here by
the same function, so that they look alike. Source: ux spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.approval.desk import ApprovalDesk
from dsh_tui.engine.approval.events import RULES_NOT_KEPT
from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.approval.service import APPROVAL
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.permissions.book import PERMISSIONS, SCOPES, Scope
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.permissions.rule import Rule, RuleError
from dsh_tui.engine.projection.approvals import approval_view
from dsh_tui.engine.projection.title import TitleFold
from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView, ProposalView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.tools.definition import ToolCall

UNTITLED = "Untitled session"
GONE = "That call no longer waits; the answer changed nothing."


class ApprovalInbox:
    """The desk of a screen: mounted as the answerer for as long as the engine lives."""

    def __init__(self, root: Context, notify: Callable[[str, str], None]) -> None:
        """``notify`` tells a person one line, with its tone."""
        self._root, self._notify = root, notify
        self._desk = ApprovalDesk()
        root[APPROVAL].answer_with(root, self._desk)
        root.on(RULES_NOT_KEPT, self._on_rules_not_kept, everywhere=True)
        root.on(RULES_IGNORED, lambda why: notify(why, "warning"), everywhere=True)
        self._seen: dict[str, ApprovalView] = {}

    def elsewhere(self, session_id: str) -> tuple[ApprovalView, ...]:
        """What waits in other sessions than this one, oldest first."""
        waiting = [request for request in self._desk.waiting if request.session_id != session_id]
        if not waiting:
            self._seen = {}
            return ()
        self._seen = {request.id: self._seen.get(request.id) or _view_of(request) for request in waiting}
        return tuple(self._seen.values())

    def sessions(self) -> set[str]:
        """Ids of sessions with a question that nobody has answered."""
        return {request.session_id for request in self._desk.waiting}

    def answer(self, approval_id: str, answer: AnswerIntent) -> None:
        """Bring an answer to the desk; one that nobody waits for any more is dropped, and that is told."""
        scope: Scope = next((known for known in SCOPES if known == answer.scope), "session")
        try:
            rules = tuple(map(Rule.parse, answer.rules))
        except RuleError as error:  # not what was proposed: nothing is answered, and the question stays
            self._notify(error.message, "error")
            return
        counted = self._desk.answer(
            approval_id,
            Answer(
                "allowed-once" if answer.allowed else "rejected",
                answer.feedback,
                rules=rules,
                scope=scope,
                replacement=answer.replacement,
            ),
        )
        if not counted:
            self._notify(GONE, "warning")

    async def proposal(self, approval_id: str) -> ProposalView:
        """What may be kept with an allow."""
        request = next((one for one in self._desk.waiting if one.id == approval_id), None)
        permissions = self._root.get(PERMISSIONS)
        if request is None or permissions is None:
            return ProposalView(why_not=GONE)
        proposal = await permissions.proposal(request)
        return ProposalView(
            tuple(rule.text for rule in proposal.rules), proposal.past, proposal.scopes, proposal.why_not
        )

    def _on_rules_not_kept(self, _call: ToolCall, why: str) -> None:
        self._notify(f"Allowed once; the rule is not kept: {why}", "warning")


def _view_of(request: ApprovalRequest) -> ApprovalView:
    title = TitleFold()
    asked: Event | None = None
    for row in request.call.session.events.rows():
        if isinstance(row, Event):
            title.apply(row)
            if row.type == "approval/asked" and row.data["id"] == request.id:
                asked = row
    assert asked is not None  # a request waits only after its question is logged
    return approval_view(asked, request.session_id, title.title or UNTITLED)
