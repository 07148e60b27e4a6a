"""The states of a tool call: streaming → running ⇄ waiting → ok, failed, denied or cancelled.

Pure steps from view to view. A final state never changes again.
Source: core spec §6; contract of ``approval/*`` and ``tool/*`` events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from dsh_tui.engine.projection.cards import diff_from_json, ended_badly, plan_of, present_call, present_result
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.projection.views import CallState, ToolView

Cut = Literal["", "may have run", "not started"]
Data = Mapping[str, Any]  # Any: event data, shape by type

UNTAKEN: frozenset[CallState] = frozenset({"streaming", "queued"})
"""Being written, or written and behind other calls."""
FINAL: frozenset[CallState] = frozenset({"ok", "failed", "denied", "cancelled"})
_OUTCOMES: Mapping[str, tuple[CallState, str]] = {
    "allowed-once": ("running", ""),
    "rejected": ("denied", "by you"),
    "unavailable": ("denied", "nobody could approve"),
    "cancelled": ("cancelled", "not answered"),
}
_CANCEL_CODES = ("ABORTED", "CANCELLED", "TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN", "INTERRUPTED")
_CUT: Mapping[str, Cut] = {"TOOL_OUTCOME_UNKNOWN": "may have run", "TOOL_NOT_STARTED": "not started"}


def called(seq: int, time: int, call_id: str, name: str, arguments: str) -> ToolView:
    """A call as the model finished writing it."""
    card = present_call(name, arguments)
    return ToolView(
        seq=seq,
        call_id=call_id,
        name=name,
        verb=card.verb,
        subject=card.subject,
        state="queued",
        arguments=arguments,
        started=time,
        plan=plan_of(name, arguments),
    )


def running(view: ToolView, time: int) -> ToolView:
    """The pipeline took the call."""
    state: CallState = "running" if view.state in UNTAKEN else view.state
    return replace(view, state=state, started=time)


def asked(view: ToolView, data: Data) -> ToolView:
    """Somebody is asked about the call, and sees what it would change."""
    preview = data.get("preview")
    diff = diff_from_json(preview) if isinstance(preview, Mapping) else None
    return replace(view, state="waiting", diff=diff or view.diff)


def decided(view: ToolView, data: Data) -> ToolView:
    """A person, a mode or nobody answered."""
    outcome = str(data.get("outcome"))
    state, summary = _OUTCOMES.get(outcome, (view.state, ""))
    return replace(view, state=state, summary=summary, feedback=str(data.get("feedback") or ""))


def finished(view: ToolView, data: Data, time: int) -> ToolView:
    """The result is in the log. What was denied stays denied: its result only repeats that."""
    is_error = bool(data.get("isError"))
    meta = data.get("meta") or {}
    card = present_result(view.name, meta, plain_text(data.get("content") or ()), is_error=is_error)
    duration = meta.get("durationMs")
    refused = view.state in ("denied", "cancelled")
    lost = _CUT.get(str((data.get("error") or {}).get("code") or ""), "")
    return replace(
        view,
        state=_final_state(view, data, is_error=is_error),
        output=card.output,
        summary=view.summary if refused and view.summary else lost or card.summary,
        cut=lost,
        diff=card.diff or (view.diff if refused else None),
        duration_ms=duration if type(duration) is int else max(0, time - view.started),
    )


def ended(view: ToolView, *, by_crash: bool) -> ToolView:
    """The turn ended, and there will be no result."""
    if not by_crash:
        return replace(view, state="cancelled")
    cut: Cut = "may have run" if view.state == "running" else "not started"
    return replace(view, state="cancelled", cut=cut, summary=view.summary or cut)


def _final_state(view: ToolView, data: Data, *, is_error: bool) -> CallState:
    if view.state in ("denied", "cancelled"):
        return view.state
    if not is_error:
        return "failed" if ended_badly(data.get("meta")) else "ok"
    code = str((data.get("error") or {}).get("code") or "")
    if code.startswith(_CANCEL_CODES):
        return "cancelled"
    refused = "DENIED" in code and not code.startswith("FS_")  # a file's mode bits are no decision
    return "denied" if refused else "failed"
