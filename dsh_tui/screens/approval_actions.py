"""What waits for a person, on the chat screen: the dock's questions brought to the port, and back.

Closing a screen, going to another session or resizing decides nothing.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from pathlib import Path

from textual import events, on, work

from dsh_tui.engine.projection.views import ProposalView
from dsh_tui.screens.chat_part import ChatPart
from dsh_tui.widgets.approval_dock import ApprovalDock
from dsh_tui.widgets.approval_words import OF_ONE_QUESTION
from dsh_tui.widgets.messages import Decided, TypedElsewhere


class ApprovalActions(ChatPart):
    """The dock's wiring; the dock and the composer are composed by `ChatScreen`."""

    def action_approval_review(self) -> None:
        if self.dock.pending is None:
            self.say("Nothing waits for you")
        else:
            self.dock.review()

    def _may_dock_take_focus(self) -> bool:
        quiet = not self.composer.text and not self.composer.searching
        return quiet and self.focused in (self.composer, None)

    @on(Decided)
    def _decided(self, event: Decided) -> None:
        if self.said in OF_ONE_QUESTION:
            self.status_bar.clear_notice()
        if self.port is not None:
            self.port.answer(event.approval_id, event.answer)

    @on(ApprovalDock.RuleAsked)
    def _rule_asked(self, event: ApprovalDock.RuleAsked) -> None:
        self._propose(event.approval_id)

    @work(exclusive=True, group="proposal", exit_on_error=False)
    async def _propose(self, approval_id: str) -> None:
        if self.port is None:
            return
        try:
            proposal = await self.port.proposal(approval_id)
        except Exception as error:  # noqa: BLE001 - said in the dock; the call can still be answered
            proposal = ProposalView(why_not=str(error) or type(error).__name__)
        self.dock.propose(approval_id, proposal)

    @on(ApprovalDock.FullAsked)
    def _full_asked(self, event: ApprovalDock.FullAsked) -> None:
        from dsh_tui.screens.full_view import FullView

        approval = event.approval

        def closed(read: bool | None) -> None:  # noqa: FBT001 - a screen's result
            self.dock.full_view_closed(approval, read=bool(read))
            if not self.dock.queue.holds(approval):
                self.say("That call no longer waits")

        self.app.push_screen(FullView(approval, Path(approval.cwd).name), closed)

    @on(ApprovalDock.Left)
    def _dock_left(self, event: ApprovalDock.Left) -> None:
        if event.draft:
            self.composer.keep(event.draft)
            self.say("The question went away; what you wrote is in the draft")
        self.composer.focus()

    @on(TypedElsewhere)
    def _typed_elsewhere(self, event: TypedElsewhere) -> None:
        self.composer.focus()
        if isinstance(event.event, events.Key):
            self.composer.take_key(event.event)
        else:
            self.composer.take_paste(event.event.text)

    def on_screen_resume(self) -> None:
        self.dock.disturbed()

    def on_app_focus(self) -> None:
        self.dock.disturbed()

    def on_resize(self) -> None:
        self.dock.disturbed()
