"""Private folders for temporary files, each locked as long as its owner lives.

A program that is killed leaves its folders behind. A lock ends with the process, so a later start can
tell them from those in use, and takes them away. A lock may be held by others too (a command of the agent
can open its folder): then it stays.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["sandbox", "draft"]

REST_SECONDS: Final = 86_400.0
"""How long nothing in a folder must have changed: somebody may still want to look what is in it."""
_NAME: Final = re.compile(r"dsh-tui-(?:sandbox|draft)-[a-z0-9_]{8}")


class TempFolder:
    """A new folder that only its user may look into; `close` takes it away with what is in it."""

    def __init__(self, kind: Kind, below: Path | None = None) -> None:
        """Make it ``below`` a folder, by default the system's one for temporary files.

        Raises:
            OSError: it can't be made.
        """
        self.path = Path(tempfile.mkdtemp(prefix=f"dsh-tui-{kind}-", dir=below)).resolve()
        self._fd = _opened(self.path)
        _take(self._fd)

    def close(self) -> None:
        """Blocks: a build leaves ten thousands of files. What can't be taken away stays."""
        shutil.rmtree(self.path, ignore_errors=True)
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def remove_abandoned(below: Path, now: float) -> None:
    """Take away the folders whose owners are gone. Blocks, and never raises."""
    with contextlib.suppress(OSError), os.scandir(below) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                _remove_if_abandoned(Path(entry.path), now - REST_SECONDS)


def _remove_if_abandoned(folder: Path, before: float) -> None:
    """Take it away if it is ours, unlocked, and was not touched since ``before``."""
    try:
        fd = _opened(folder)
    except OSError:
        return  # a link, a file, somebody else's
    try:
        info = os.fstat(fd)
        private = info.st_uid == os.getuid() and stat.S_IMODE(info.st_mode) == 0o700
        if private and info.st_mtime < before and _take(fd):
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(fd)


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _take(fd: int) -> bool:
    """Lock it; False if somebody else has."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
