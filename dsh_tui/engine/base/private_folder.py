"""Folders that only their owner may enter, made durably or told apart for whoever makes them so."""

from __future__ import annotations

from pathlib import Path

_MODE = 0o700


def make_private(folder: Path) -> list[Path]:
    """Make what is missing, private, and tighten the folder itself; parents that gained an entry.

    The entries are durable once the parents that are returned have been synced.

    Raises:
        OSError: it is not there.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    gained: list[Path] = []
    for path in reversed(missing):
        try:
            path.mkdir(mode=_MODE)
        except FileExistsError:
            continue
        path.chmod(_MODE)  # the umask may have taken more than asked
        gained.append(path.parent)
    folder.chmod(_MODE)
    return gained
