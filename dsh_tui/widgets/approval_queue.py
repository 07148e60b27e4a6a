"""What waits for a person: which of it is shown, and what they wrote to and read of each. Pure.

The one that is shown stays until it is answered or gone, or another session is on screen. What is
dangerous counts as read only as it was read: another content must be read again.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Sequence

from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView
from dsh_tui.widgets.approval_answers import may_be_always
from dsh_tui.widgets.approval_words import replaceable
from dsh_tui.widgets.refusal_entry import Refusal


class ApprovalQueue:
    """The waiting approvals in their order."""

    def __init__(self) -> None:
        self.pending: tuple[ApprovalView, ...] = ()
        self.current: ApprovalView | None = None
        self._session = ""
        self._answered: set[str] = set()
        self._refusals: dict[str, Refusal] = {}
        self._read: dict[str, ApprovalView] = {}

    def show(self, approvals: Sequence[ApprovalView], session: str) -> bool:
        """Take over what waits now, but for what was answered here; whether that changed anything."""
        before = self.pending, self._session
        self.pending = tuple(one for one in approvals if one.id not in self._answered)
        waiting = {one.id for one in approvals}
        self._answered &= waiting
        self._read = {key: read for key, read in self._read.items() if key in waiting}
        if (self.pending, session) == before:
            return False
        shown = self.current if session == self._session else None
        self._session = session
        same = next((one for one in self.pending if shown is not None and one.id == shown.id), None)
        self.current = same or (self.pending[0] if self.pending else None)
        return True

    def holds(self, approval: ApprovalView) -> bool:
        """Whether it can still be answered."""
        return any(one.id == approval.id for one in self.pending)

    def settled(self) -> ApprovalView | None:
        """The one that is shown was answered: show the next."""
        settled = self.current
        if settled is not None:
            self._answered.add(settled.id)
            self._refusals.pop(settled.id, None)
            self._read.pop(settled.id, None)
            self.pending = tuple(one for one in self.pending if one.id != settled.id)
            self.current = self.pending[0] if self.pending else None
        return settled

    def refusal(self, approval: ApprovalView) -> Refusal:
        """What is being written to it."""
        return self._refusals.setdefault(approval.id, Refusal(replaceable(approval)))

    def lost_drafts(self) -> list[str]:
        """What was being written to questions that are gone; told once."""
        waiting = {one.id for one in self.pending}
        gone = [approval_id for approval_id in self._refusals if approval_id not in waiting]
        return [draft for approval_id in gone if (draft := self._refusals.pop(approval_id).draft)]

    def note_read(self, approval: ApprovalView) -> None:
        """Its full view was read to the end."""
        self._read[approval.id] = approval

    def is_read(self, approval: ApprovalView) -> bool:
        return self._read.get(approval.id) == approval

    def may_be(self, intent: AnswerIntent) -> bool:
        """Whether the one that is shown may be answered so."""
        current = self.current
        if current is None:
            return False
        if not intent.allowed or not current.danger:
            return True
        return self.is_read(current) and (not intent.rules or may_be_always(current, intent.scope))
