"""Errors of the file tools: one class, a closed set of codes.

FsError                      the message is for the model, names the path and the remedy

Source: capabilities B3.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.tools.errors import ToolError

NOT_FOUND: Final = "FS_NOT_FOUND"
NOT_REGULAR_FILE: Final = "FS_NOT_REGULAR_FILE"
NOT_TEXT: Final = "FS_NOT_TEXT"
NOT_OBSERVED: Final = "FS_NOT_OBSERVED"
STALE_VERSION: Final = "FS_STALE_VERSION"
EDIT_NOT_FOUND: Final = "FS_EDIT_NOT_FOUND"
AMBIGUOUS_EDIT: Final = "FS_AMBIGUOUS_EDIT"
INVALID_EDIT: Final = "FS_INVALID_EDIT"
INVALID_PATH: Final = "FS_INVALID_PATH"
PERMISSION_DENIED: Final = "FS_PERMISSION_DENIED"
SANDBOX_DENIED: Final = "FS_SANDBOX_DENIED"
TOO_LARGE: Final = "FS_TOO_LARGE"
IO_ERROR: Final = "FS_IO_ERROR"


class FsError(ToolError):
    """A file operation that did not happen; nothing was changed unless the message says so."""

    code = IO_ERROR


def from_os_error(error: OSError, path: Path, doing: str) -> FsError:
    """The same failure in words, with its code. ``doing`` is an infinitive such as ``read``."""
    shown = show_path(path)
    if isinstance(error, FileNotFoundError):
        return FsError(f"{shown} does not exist.", code=NOT_FOUND)
    if isinstance(error, NotADirectoryError):
        return FsError(f"{shown}: a part of this path is a file, not a directory.", code=NOT_FOUND)
    if isinstance(error, IsADirectoryError):
        return FsError(f"{shown} is a directory.", code=NOT_REGULAR_FILE)
    if error.errno == errno.ELOOP:
        return FsError(f"{shown} is a loop of symbolic links.", code=IO_ERROR)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return FsError(f"No permission to {doing} {shown}.", code=PERMISSION_DENIED)
    return FsError(f"Could not {doing} {shown}: {error.strerror or error}.", code=IO_ERROR)
