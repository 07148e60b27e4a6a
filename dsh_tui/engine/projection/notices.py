"""What the log says besides user, model and tools, in words: errors, stops, retries, switches.

Pure functions from event data to sentences; the transcript decides where they stand.
Source: core spec §3 (turn end reasons), §8.5; ux spec §1c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_tui.engine.projection.views import NoticeView, Tone

Data = Mapping[str, Any]  # Any: event data, shape by type

_KEY_HINT = "Check the API key, then send again."
_HINTS = {
    "AUTH": _KEY_HINT,
    "UNAUTHORIZED": _KEY_HINT,
    "MISSING_API_KEY": _KEY_HINT,
    "CONTEXT_LENGTH": "Start a new session, or compact this one.",
    "RATE_LIMIT": "Wait a little, then send again.",
    "BALANCE": "Top up the account, then send again.",
}
_INTERRUPTED = "The program ended before this turn did."
_INTERRUPTED_HINT = "A tool that was running may have done its work: check before you repeat it."


def end_notice(seq: int, reason: Data) -> NoticeView | None:
    """The notice that a turn's end deserves, or None where the closing line says enough."""
    kind = reason.get("kind", "")
    if kind == "error":
        message = str(reason.get("message") or "The turn failed.")
        code = str(reason.get("code") or "")
        return NoticeView(seq=seq, tone="error", text=message, hint=_hint_for(code))
    if kind == "interrupted":
        return NoticeView(seq=seq, tone="warning", text=_INTERRUPTED, hint=_INTERRUPTED_HINT)
    if kind == "max-tokens":
        text = "The answer was cut at the model's output limit."
        return NoticeView(seq=seq, tone="warning", text=text, hint="Ask it to go on.")
    if kind == "rejected":
        text = f"The prompt was refused: {reason.get('reason') or 'no reason given'}"
        return NoticeView(seq=seq, tone="warning", text=text)
    if kind == "disposed":
        return NoticeView(seq=seq, tone="warning", text="The session was closed while this turn ran.")
    return None


def _hint_for(code: str) -> str:
    for part, hint in _HINTS.items():
        if part in code:
            return hint
    return "Send again to retry."


def retry_notice(seq: int, data: Data) -> NoticeView:
    """One row for a whole chain of retries; the status bar counts the seconds down."""
    failure = data.get("failure") or {}
    message = str(failure.get("message") or "The request failed")
    limit = data.get("maxRetries")
    count = f"{data.get('retry', 1)} of {limit}" if limit else f"{data.get('retry', 1)}"
    seconds = max(0, int(data.get("delayMs") or 0)) / 1000
    return NoticeView(seq=seq, tone="warning", text=message, hint=f"retry {count} after {seconds:.3g} s")


def switch_notice(seq: int, type_: str, data: Data) -> NoticeView:
    """A change of mode or model, at the place where it took effect."""
    if type_ == "permission/mode":
        mode = str(data.get("mode", ""))
        tone: Tone = "warning" if mode == "full" else "info"
        return NoticeView(seq=seq, tone=tone, text=f"Mode: {mode}")
    effort = data.get("effort")
    name = f"{data.get('provider', '')}/{data.get('model', '')}"
    return NoticeView(seq=seq, tone="info", text=f"Model: {name}" + (f" {effort}" if effort else ""))
