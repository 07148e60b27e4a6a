"""The review of a plan: what is asked before `exit_plan_mode` runs, and what its answer does to the mode.

Nothing but a person's answer ends plan mode: the question is this package's own, so that no rule
answers it. The switch waits for the end of the step: calls beside the plan in the same answer were
made under plan mode, and are decided in it.
Source: core spec §6 (Ask); capabilities B5; design §3.16.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.modes.mode import DEFAULT_MODE, EXIT_PLAN_MODE, FULL_ACCESS, MODES_KNOWN, PLANNING, Mode
from dsh_tui.engine.modes.modes import MODE_EVENT, Modes
from dsh_tui.engine.plan.tool import not_planning, question, sent_back
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.tools.decisions import Accept, Ask, Deny, PostDecision, PreDecision, strictest
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput

_SENT_BACK = "APPROVAL_REJECTED"


class PlanReview:
    """Asks for every plan, and switches the mode once one is approved and its step is over."""

    def __init__(self, modes: Modes) -> None:
        self._modes = modes
        self._following: dict[str, Mode] = {}
        """By session: the mode that an approved plan's step will end in."""

    async def ask(self, call: ToolCall, definition: AnyTool, following: Next[PreDecision]) -> PreDecision:
        """In plan mode a person decides; in every other there is nothing to decide on."""
        if definition.name != EXIT_PLAN_MODE:
            return await following()
        mode = self._modes.current(call.session)
        if mode != PLANNING:
            return Deny(not_planning(mode))
        asked = Ask(question(self._mode_after(call.session)), by=EXIT_PLAN_MODE)
        return strictest(asked, await following())

    def approve(self, call: ToolCall) -> Mode:
        """Let the step end in the mode that is returned; a person may have switched meanwhile."""
        mode = self._modes.current(call.session)
        if mode == PLANNING:
            mode = self._following[call.session.id] = self._mode_after(call.session)
        return mode

    def end_with_step(self, session: Session, event: Event) -> None:
        """Switch, unless a person did so since the plan was approved."""
        if event.type == "step/end":
            following = self._following.pop(session.id, None)
            if following is not None and self._modes.current(session) == PLANNING:
                self._modes.set(session, following)

    def forget(self, session: Session) -> None:
        self._following.pop(session.id, None)

    def _mode_after(self, session: Session) -> Mode:
        mode = mode_before_plan(session)
        try:
            self._modes.check(mode)
        except HarnessError:  # what it needs is not there any more
            return DEFAULT_MODE
        return mode

    async def tell(self, call: ToolCall, output: ToolOutput, following: Next[PostDecision]) -> PostDecision:
        """A plan that came back is to be made better, not to be given up."""
        decision = await following()
        came_back = output.error is not None and output.error["code"] == _SENT_BACK
        if call.name == EXIT_PLAN_MODE and came_back and isinstance(decision, Accept):
            return replace(decision, content=sent_back(_words_about(call)))
        return decision


def mode_before_plan(session: Session) -> Mode:
    """The mode in which the model worked last before plan mode; ``full`` never comes back by itself.

    A mode that was only passed on the way to plan does not count: nobody worked in it.
    """
    now: str = DEFAULT_MODE
    worked: str = DEFAULT_MODE
    for row in session.events.rows():
        if not isinstance(row, Event):
            continue
        if row.type == MODE_EVENT:
            now = row.data["mode"]
        elif row.type == "step/start" and now != PLANNING:
            worked = now
    known = worked in MODES_KNOWN and worked != FULL_ACCESS
    return cast("Mode", worked) if known else DEFAULT_MODE


def _words_about(call: ToolCall) -> str:
    """What the person said when they sent the plan back."""
    for event in reversed(call.session.events):
        if event.type == "approval/decided" and event.data["callId"] == call.call_id:
            return event.data.get("feedback") or event.data.get("replacement") or ""
    return ""
