"""Approval: every question has one answer, in its own turn and before the call's result.

A call is decided once: by a rule without a question, or by the answer to one. What is kept with an
answer stands beside an allow, what is wanted instead beside a refusal.
Source: core spec §9 (approval), §6 (ask); design §3.15.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event


class ApprovalCheck(LogCheck):
    """Questions and answers come in pairs; ids are never used again."""

    owner: ClassVar[str] = "approval"
    tags = frozenset(
        {
            "approval/asked",
            "approval/decided",
            "permission/decided",
            "tool/call",
            "tool/result",
            "step/start",
            "turn/end",
        }
    )

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: dict[str, str] = {}
        self._running: set[str] = set()
        self._ruled: dict[str, str] = {}
        """Running calls that a rule decided, and how."""

    def check(self, event: Event) -> None:
        data = event.data
        match event.type:
            case "approval/asked":
                self.require(data["id"] not in self._used, f"question {data['id']} is asked a second time")
                self.require(data["callId"] in self._running, f"call {data['callId']} is not under way")
                self.require(data["callId"] not in self._ruled, f"a rule decided on {data['callId']} already")
                self._check_place(data.get("place"))
            case "approval/decided":
                self.require(data["id"] in self._open, f"{data['id']} is no open question")
                self.require(self._open.get(data["id"]) == data["callId"], "the answer names another call")
                self._check_answer(data)
            case "permission/decided":
                self.require(data["callId"] in self._running, f"call {data['callId']} is not under way")
                self.require(data["callId"] not in self._ruled, f"{data['callId']} is decided a second time")
                self.require(data["callId"] not in self._open.values(), f"{data['callId']} is asked about")
                said = data["rule"].split(" ", 1)[0]
                self.require(said == data["decision"], f"{data['rule']!r} is no rule to {data['decision']}")
            case "tool/result":
                waits = data["callId"] in self._open.values() and _is_new(event) and not _repaired(event)
                self.require(not waits, f"call {data['callId']} ends while its approval is open")
                refused = self._ruled.get(data["callId"]) == "deny" and _is_new(event)
                self.require(not refused or data["isError"], f"call {data['callId']} ran against a rule")
            case "turn/end":
                stopped = data["reason"]["kind"] == "interrupted"
                self.require(stopped or not self._open, "the turn ends with an open approval")

    def _check_place(self, place: Mapping[str, int] | None) -> None:
        if place is not None:
            self.require(place["index"] <= place["of"], f"question {place['index']} of {place['of']}")

    def _check_answer(self, data: Mapping[str, Any]) -> None:  # Any: JSON of approval/decided
        allowed = data["outcome"] == "allowed-once"
        self.require(allowed or "rules" not in data, "rules are kept with a call that was not allowed")
        self.require(("rules" in data) == ("scope" in data), "rules and their scope come together")
        instead = "replacement" in data
        self.require(not instead or data["outcome"] == "rejected", "a replacement of what was not refused")

    def advance(self, event: Event) -> None:
        data = event.data
        match event.type:
            case "approval/asked":
                self._used.add(data["id"])
                self._open[data["id"]] = data["callId"]
            case "approval/decided":
                self._open.pop(data["id"], None)
            case "permission/decided":
                self._ruled[data["callId"]] = data["decision"]
            case "tool/call":
                self._running.add(data["callId"])
            case "tool/result":
                self._running.discard(data["callId"])
                self._ruled.pop(data["callId"], None)
            case "step/start":
                self._running.clear()
                self._ruled.clear()
            case "turn/end":
                self._open.clear()
                self._running.clear()
                self._ruled.clear()


def _is_new(event: Event) -> bool:
    return event.surface_op is None or event.surface_op["op"] == "append"


def _repaired(event: Event) -> bool:
    code = (event.data.get("error") or {}).get("code")
    return code in ("TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED", "interrupted")
