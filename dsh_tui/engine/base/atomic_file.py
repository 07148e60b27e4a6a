"""Whole-file writes that are either there or not: temp file, fsync, rename, fsync of the directory.

Whoever is killed in the middle leaves a temp file behind, which nobody reads; `remove_old_temps` takes it
away when somebody comes by.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.private_folder import make_missing

OLD_SECONDS: Final = 86_400.0
_TEMP: Final = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")


def temp_of(path: Path) -> Path:
    """A new name beside ``path`` for a file that is to take its place."""
    return path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")


def write_atomic(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace ``path`` durably. Creates directories (0700) where missing, durably too.

    Raises:
        OSError: nothing was replaced; the temp file is gone.
    """
    gained = make_missing(path.parent)
    temp = temp_of(path)
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temp.replace(path)
    except BaseException:  # raised again; what was begun is undone first
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    for folder in (path.parent, *gained):
        fsync_dir(folder)


def fsync_dir(path: Path) -> None:
    """Make a rename or a link in ``path`` durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def remove_old_temps(folder: Path, now: float) -> None:
    """Take away what writes to files in ``folder`` left behind a day ago or longer. Never raises."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMP.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < now - OLD_SECONDS:
                        Path(entry.path).unlink()
