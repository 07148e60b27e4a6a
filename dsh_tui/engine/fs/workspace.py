"""The workspace: is a path inside the session's directory, once links and ``..`` are resolved?

Decides with the same resolution that opens the file. What can't be resolved is outside.
Source: design §3.16; contract of ``ToolDefinition.inside_workspace``.
"""

from __future__ import annotations

import stat
from pathlib import Path

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.paths import follow, resolve

GUARDED = frozenset({".git", ".dsh"})
"""Folders whose files run on their own (hooks, plugins), or steer what does."""


def is_inside(cwd: Path, raw: str) -> bool:
    """True if the file meant by ``raw`` is the workspace itself or below it. Never raises."""
    try:
        root = follow(cwd)
        return follow(resolve(cwd, raw)).is_relative_to(root)
    except (FsError, OSError, ValueError):
        return False


def reach_of_change(cwd: Path, raw: str) -> str:
    """What a change of a file inside the workspace reaches beyond it, as the end of a sentence.

    Empty for an ordinary file, and for one that is not there yet.

    Raises:
        FsError, ValueError, OSError: the path can't be looked at, or is not inside.
    """
    real = follow(resolve(cwd, raw))
    relative = real.relative_to(follow(cwd))
    if not GUARDED.isdisjoint(part.lower() for part in relative.parts):
        return " that git or dsh-tui acts on by itself"
    try:
        info = real.stat()
    except FileNotFoundError:
        return ""
    # Written in place, so that every name of it changes; another may lie outside.
    shared = stat.S_ISREG(info.st_mode) and info.st_nlink > 1
    return " that has other names too (hard links)" if shared else ""
