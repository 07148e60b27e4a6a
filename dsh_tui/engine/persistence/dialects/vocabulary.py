"""Event types that the original is known to write. Any other must be marked ignorable to be skipped.

Source: upstream format §4 (full list of known types).
"""

from __future__ import annotations

from collections.abc import Iterator

_FAMILIES = {
    "agent-preset": "selected",
    "agent": "inbox/spliced",
    "approval": "asked decided policy",
    "assistant": "attempt message chunk",
    "command": "run done",
    "compaction": "start end summary prune",
    "deliverables": "presented",
    "developer": "message",
    "feedback": "message-put message-delete record",
    "goal": "change",
    "hook": "invoked result",
    "image": "offload",
    "job": "registered settled",
    "llm": "retry retry-started",
    "model": "selection",
    "permission": "preset rule",
    "plan": "mode",
    "request": "context header",
    "sandbox": "mode",
    "schedule": "change",
    "session-log-deepseek": "delivery-accepted",
    "session": "end-seed title title-llm-request",
    "step": "start end",
    "subagent": "catalog descriptor model-selection-policy",
    "system": "message",
    "team": "member task message/queued message/delivered",
    "todo": "write",
    "tool-workflow": "agent-start agent-end run-start run-end",
    "tool": "call result ptc-dispatch ptc-dispatch-start code-dispatch code-dispatch-start",
    "turn": "start end",
    "user": "message",
    "web": "deepseek-search-llm-request",
    "working-directory": "change",
    "workspace": "changes",
}


def _known() -> Iterator[str]:
    for family, names in _FAMILIES.items():
        yield from (f"{family}/{name}" for name in names.split())


KNOWN = frozenset(_known())
"""All of them, of every version."""
