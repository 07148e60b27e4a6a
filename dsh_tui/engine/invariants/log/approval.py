"""Approval: every question has one answer, in its own turn and before the call's result.

Source: core spec §9 (approval), §6 (ask).
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event


class ApprovalCheck(LogCheck):
    """Questions and answers come in pairs; ids are never used again."""

    owner: ClassVar[str] = "approval"
    tags = frozenset(
        {"approval/asked", "approval/decided", "tool/call", "tool/result", "step/start", "turn/end"}
    )

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: dict[str, str] = {}
        self._running: set[str] = set()

    def check(self, event: Event) -> None:
        data = event.data
        match event.type:
            case "approval/asked":
                self.require(data["id"] not in self._used, f"question {data['id']} is asked a second time")
                self.require(data["callId"] in self._running, f"call {data['callId']} is not under way")
            case "approval/decided":
                self.require(data["id"] in self._open, f"{data['id']} is no open question")
                self.require(self._open.get(data["id"]) == data["callId"], "the answer names another call")
            case "tool/result":
                waits = data["callId"] in self._open.values() and _is_new(event) and not _repaired(event)
                self.require(not waits, f"call {data['callId']} ends while its approval is open")
            case "turn/end":
                stopped = data["reason"]["kind"] == "interrupted"
                self.require(stopped or not self._open, "the turn ends with an open approval")

    def advance(self, event: Event) -> None:
        data = event.data
        match event.type:
            case "approval/asked":
                self._used.add(data["id"])
                self._open[data["id"]] = data["callId"]
            case "approval/decided":
                self._open.pop(data["id"], None)
            case "tool/call":
                self._running.add(data["callId"])
            case "tool/result":
                self._running.discard(data["callId"])
            case "step/start":
                self._running.clear()
            case "turn/end":
                self._open.clear()
                self._running.clear()


def _is_new(event: Event) -> bool:
    return event.surface_op is None or event.surface_op["op"] == "append"


def _repaired(event: Event) -> bool:
    code = (event.data.get("error") or {}).get("code")
    return code in ("TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED", "interrupted")
