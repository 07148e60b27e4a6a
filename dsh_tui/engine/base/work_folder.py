"""Whether anybody can work in a directory, and why not. Source: design §4 (exec with a lost directory)."""

from __future__ import annotations

import os
from stat import S_ISDIR

from dsh_tui.engine.base.visible import exact_line


def why_unusable(path: str | None) -> str:
    """A sentence without its full stop, with the path in it; empty where one can work. Blocks."""
    if path is None:
        return "the session names no directory"
    shown = exact_line(path)
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  # it may be any text that a log holds
    except FileNotFoundError:
        return f"{shown} is gone"
    except PermissionError:
        return f"{shown} can't be reached: permission denied"
    except (OSError, ValueError) as error:  # a NUL in the path; its parent is a file
        return f"{shown} can't be reached: {getattr(error, 'strerror', None) or error}"
    if not S_ISDIR(mode):
        return f"{shown} is no directory any more"
    if not os.access(path, os.R_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        return f"{shown} can't be read: permission denied"
    return ""
