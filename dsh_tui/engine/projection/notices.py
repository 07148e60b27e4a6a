"""What the log says besides user, model and tools, in words: errors, stops, retries, switches.

Pure functions from event data to sentences; the transcript decides where they stand.
Source: core spec §3 (turn end reasons), §8.5; ux spec §1c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_tui.engine.modes.mode import FULL_ACCESS
from dsh_tui.engine.projection.failure_hints import hint_for
from dsh_tui.engine.projection.views import NoticeView, Tone

Data = Mapping[str, Any]  # Any: event data, shape by type

_LOST_HINT = "What is on the screen since then is stored nowhere; /fork goes on in a copy of it."


def end_notice(seq: int, reason: Data, *, tries: int = 1) -> NoticeView | None:
    """The notice that a turn's end deserves, or None where the closing line says enough.

    ``tries`` counts the requests of the last step that failed.
    """
    kind = reason.get("kind", "")
    if kind == "error":
        message = str(reason.get("message") or "The turn failed.")
        code = str(reason.get("code") or "")
        text = f"{message.rstrip('.')}. Tried {tries} times." if tries > 1 else message
        return NoticeView(seq=seq, tone="error", text=text, hint=hint_for(code, message))
    if kind == "aborted" and (reason.get("cause") or {}).get("kind") == "ownership-lost":
        return NoticeView(seq=seq, tone="error", text=str(reason.get("reason", "")), hint=_LOST_HINT)
    if kind == "max-tokens":
        text = "The answer was cut at the model's output limit."
        return NoticeView(seq=seq, tone="warning", text=text, hint="Ask it to go on.")
    if kind == "rejected":
        text = f"The prompt was refused: {reason.get('reason') or 'no reason given'}"
        return NoticeView(seq=seq, tone="warning", text=text)
    if kind == "disposed":
        return NoticeView(seq=seq, tone="warning", text="The session was closed while this turn ran.")
    return None


def retry_notice(seq: int, data: Data) -> NoticeView:
    """One row for a whole chain of retries; the status bar counts the seconds down."""
    failure = data.get("failure") or {}
    message = str(failure.get("message") or "The request failed")
    limit = data.get("maxRetries")
    count = f"{data.get('retry', 1)} of {limit}" if limit else f"{data.get('retry', 1)}"
    seconds = max(0, int(data.get("delayMs") or 0)) / 1000
    return NoticeView(seq=seq, tone="warning", text=message, hint=f"retry {count} after {seconds:.2g} s")


def switch_notice(seq: int, type_: str, data: Data) -> NoticeView:
    """A change of mode or model, at the place where it took effect."""
    if type_ == "permission/mode":
        mode = str(data.get("mode", ""))
        tone: Tone = "warning" if mode == FULL_ACCESS else "info"
        return NoticeView(seq=seq, tone=tone, text=f"Mode: {mode}")
    effort = data.get("effort")
    name = f"{data.get('provider', '')}/{data.get('model', '')}"
    return NoticeView(seq=seq, tone="info", text=f"Model: {name}" + (f" {effort}" if effort else ""))
