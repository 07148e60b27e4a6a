"""Calls that wait for a person, oldest first.

Filled by ``approval/asked``, emptied by ``approval/decided``; the end of a turn leaves none.
Source: core spec §6; ux spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.projection.cards import card_from_json, present_call
from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.engine.session.event import Event


class ApprovalsFold:
    """Pending approvals in the order in which they were asked."""

    __slots__ = ("_pending", "_session_id", "_view", "routes")

    def __init__(self, session_id: str = "") -> None:
        self._session_id = session_id
        self._pending: dict[str, ApprovalView] = {}
        self._view: tuple[ApprovalView, ...] = ()
        self.routes: dict[str, Callable[[Event], None]] = {
            "approval/asked": self._asked,
            "approval/decided": self._decided,
            "turn/end": self._turn_end,
        }

    @property
    def approvals(self) -> tuple[ApprovalView, ...]:
        """What waits now."""
        return self._view

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        route = self.routes.get(event.type)
        if route is not None:
            route(event)

    def _asked(self, event: Event) -> None:
        self._pending[event.data["id"]] = approval_view(event, self._session_id)
        self._view = tuple(self._pending.values())

    def _decided(self, event: Event) -> None:
        if self._pending.pop(event.data["id"], None) is not None:
            self._view = tuple(self._pending.values())

    def _turn_end(self, _event: Event) -> None:
        if self._pending:
            self._pending.clear()
            self._view = ()


def approval_view(asked: Event, session_id: str, session_title: str = "") -> ApprovalView:
    """An ``approval/asked`` as the dock shows it; with a title it waits in a session in the background."""
    data = asked.data
    tool, arguments = str(data["toolName"]), str(data.get("arguments") or "")
    call = present_call(tool, arguments)
    card = card_from_json(data.get("preview"), arguments)
    place = data.get("place")
    return ApprovalView(
        id=data["id"],
        call_id=str(data.get("callId") or ""),
        tool=tool,
        verb=call.verb,
        subject=call.subject,
        reason=str(data.get("reason") or ""),
        card=card,
        cwd=str(data.get("cwd") or card.cwd),
        arguments=arguments,
        asked_by=str(data.get("by") or ""),
        danger=str(data.get("danger") or ""),
        place=None if place is None else (place["index"], place["of"]),
        agent=str(data.get("agent") or ""),
        session_id=session_id,
        session_title=session_title,
    )
