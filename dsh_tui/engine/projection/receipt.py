"""A turn's receipt: what it changed, ran and asked. From the blocks of the turn, pure.

Files are those that the file tools changed; what commands did to files, no log knows.
Source: ux spec §3.13 (turn receipt).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from dsh_tui.engine.projection.views import (
    BlockView,
    CommandRun,
    Decision,
    FileChange,
    ReceiptView,
    ToolView,
)

_WORDS = {
    "allowed-once": "allowed",
    "rejected": "denied",
    "unavailable": "nobody could answer",
    "cancelled": "not answered",
}


def turn_receipt(blocks: Sequence[BlockView], decided: Mapping[str, str]) -> ReceiptView:
    """``decided`` has the outcome of each approval by call id."""
    tools = [block for block in blocks if isinstance(block, ToolView)]
    return ReceiptView(
        files=_files(tools),
        commands=tuple(_command(tool) for tool in tools if tool.name == "bash" and _ran(tool)),
        decisions=tuple(_decision(tool, decided[tool.call_id]) for tool in tools if tool.call_id in decided),
        calls=len(tools),
    )


def _files(tools: Sequence[ToolView]) -> tuple[FileChange, ...]:
    """One line a file, in the order of their first change."""
    files: dict[str, FileChange] = {}
    for tool in tools:
        diff = tool.diff
        if diff is None or tool.state != "ok":
            continue
        known = files.get(diff.path) or FileChange(diff.path, 0, 0, diff.created)
        files[diff.path] = FileChange(
            diff.path, known.added + diff.added, known.removed + diff.removed, known.created
        )
    return tuple(files.values())


def _ran(tool: ToolView) -> bool:
    return tool.state in ("ok", "failed") or tool.cut == "may have run"


def _command(tool: ToolView) -> CommandRun:
    result = "ok" if tool.state == "ok" else tool.summary or tool.state
    return CommandRun(_whole_command(tool), result, tool.state == "ok", tool.duration_ms or 0)


def _whole_command(tool: ToolView) -> str:
    try:
        given = json.loads(tool.arguments)
    except ValueError:
        return tool.subject
    command = given.get("command") if isinstance(given, dict) else None
    return command if isinstance(command, str) else tool.subject


def _decision(tool: ToolView, outcome: str) -> Decision:
    return Decision(f"{tool.verb} {tool.subject}".strip(), _WORDS.get(outcome, outcome), tool.feedback)
