"""The workspace: is a path inside the session's directory, once links and ``..`` are resolved?

Decides with the same resolution that opens the file. What can't be resolved is outside.
Source: design §3.16; contract of ``ToolDefinition.inside_workspace``.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.paths import follow, resolve
from dsh_tui.engine.sandbox.bounds import GUARDED
from dsh_tui.engine.tools.definition import ToolCall


def is_inside(cwd: Path, raw: str) -> bool:
    """True if the file meant by ``raw`` is the workspace itself or below it. Never raises."""
    try:
        root = follow(cwd)
        return follow(resolve(cwd, raw)).is_relative_to(root)
    except (FsError, OSError, ValueError):
        return False


def bound_path(call: ToolCall, raw: str) -> Path:
    """The real file that this call means by ``raw``: found once, then the same for all who decide on it.

    Raises:
        FsError, OSError, ValueError: it can't be found.
    """
    real = call.admission.paths.get(raw)
    if real is None:
        real = call.admission.paths[raw] = follow(resolve(call.cwd, raw))
    return real


def changes_inside(call: ToolCall, raw: str) -> bool:
    """`is_inside` for a call that changes the file; binds it to the file that was found. Never raises."""
    try:
        return bound_path(call, raw).is_relative_to(follow(call.cwd))
    except (FsError, OSError, ValueError):
        return False


def reach_of_change(call: ToolCall, raw: str, kept: Sequence[Path] = ()) -> str:
    """What a change of a file inside the workspace reaches beyond it, as the end of a sentence.

    Empty for an ordinary file, and for one that is not there yet. ``kept`` are real folders that are
    guarded wherever they lie: dsh-tui's own home.

    Raises:
        FsError, ValueError, OSError: the path can't be looked at, or is not inside.
    """
    real = bound_path(call, raw)
    return reach_beyond(real, follow(call.cwd), kept)


def reach_beyond(real: Path, root: Path, kept: Sequence[Path] = ()) -> str:
    """The same for a real file below a real folder.

    Raises:
        ValueError, OSError: it is not inside, or can't be looked at.
    """
    relative = real.relative_to(root)
    if not GUARDED.isdisjoint(part.lower() for part in relative.parts) or any(
        real.is_relative_to(folder) for folder in kept
    ):
        return " that git or dsh-tui acts on by itself"
    try:
        info = real.stat()
    except FileNotFoundError:
        return ""
    # Written in place, so that every name of it changes; another may lie outside.
    shared = stat.S_ISREG(info.st_mode) and info.st_nlink > 1
    return " that has other names too (hard links)" if shared else ""
