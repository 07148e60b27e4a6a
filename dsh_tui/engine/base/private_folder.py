"""Folders that only their owner may enter, made durably or told apart for whoever makes them so.

``Path.mkdir(parents=True)`` gives its mode to the last folder only: the ones above it would be open to
whoever the umask lets in. So every folder of this program is made here.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_MODE = 0o700
_FILE_MODE = 0o600
_OTHERS = 0o077


def make_missing(folder: Path) -> list[Path]:
    """Make what is missing, private; what is there stays as it is. The parents that gained an entry.

    The entries are durable once the parents that are returned have been synced.

    Raises:
        OSError: it is not there, or no folder.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    gained: list[Path] = []
    for path in reversed(missing):
        try:
            path.mkdir(mode=_MODE)
        except FileExistsError:
            if not path.is_dir():
                raise
            continue
        path.chmod(_MODE)  # the umask may have taken more than asked
        gained.append(path.parent)
    return gained


def make_private(folder: Path) -> list[Path]:
    """`make_missing`, and the folder itself is tightened. Raises as that does."""
    gained = make_missing(folder)
    folder.chmod(_MODE)
    return gained


def keep_private(fd: int) -> None:
    """Tighten a file of one's own that others may look into.

    Raises:
        OSError: they still may.
    """
    found = os.fstat(fd)
    if found.st_uid == os.geteuid() and stat.S_ISREG(found.st_mode) and found.st_mode & _OTHERS:
        os.fchmod(fd, _FILE_MODE)
