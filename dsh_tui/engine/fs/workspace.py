"""The workspace: is a path inside the session's directory, once links and ``..`` are resolved?

Decides with the same resolution that opens the file. What can't be resolved is outside.
Source: design §3.16; contract of ``ToolDefinition.inside_workspace``.
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.paths import follow, resolve

GUARDED = frozenset({".git", ".dsh"})
"""Folders whose files run on their own (hooks, plugins): changing them is never taken as read."""


def is_inside(cwd: Path, raw: str) -> bool:
    """True if the file meant by ``raw`` is the workspace itself or below it. Never raises."""
    try:
        root = follow(cwd)
        return follow(resolve(cwd, raw)).is_relative_to(root)
    except (FsError, OSError, ValueError):
        return False


def may_change_inside(cwd: Path, raw: str) -> bool:
    """As `is_inside`, but false for what git and this program would run by themselves."""
    if not is_inside(cwd, raw):
        return False
    relative = follow(resolve(cwd, raw)).relative_to(follow(cwd))
    return GUARDED.isdisjoint(part.lower() for part in relative.parts)
