"""What anybody but the screen writes to the terminal while the screen has it: kept in a file.

A plugin may run a program that prints, a library may warn on its own. Drawn over the screen that
text would stay there, and could drive the terminal. Source: design §3.17.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.private_folder import make_missing

_USUAL: Final = (1, 2)
"""Standard output and error, which every program that is started inherits."""
_MOST: Final = 1_000_000
"""Bytes; a file that has more is begun again."""


class StrayOutput:
    """Leads standard output and error to a file from `catch` to `release`."""

    def __init__(self, path: Path | None) -> None:
        """Without a path, or with one that can't be written, the text is dropped."""
        self._path = path
        self._kept: list[int] = []

    def catch(self) -> None:
        """From now on. Does nothing when it is so already."""
        if self._kept:
            return
        target = self._open()
        self._kept = [os.dup(usual) for usual in _USUAL]
        for usual in _USUAL:
            os.dup2(target, usual)
        os.close(target)

    def release(self) -> None:
        """Give the terminal back to them."""
        for usual, kept in zip(_USUAL, self._kept, strict=False):
            os.dup2(kept, usual)
            os.close(kept)
        self._kept = []

    def _open(self) -> int:
        if self._path is not None:
            with suppress(OSError):
                return _opened(self._path)
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def keep(text: str, path: Path) -> None:
    """Put what Python code printed into the same file: its streams end at the screen."""
    with suppress(OSError), os.fdopen(_opened(path), "wb") as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def _opened(path: Path) -> int:
    make_missing(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    opened = os.open(path, flags | os.O_NONBLOCK, 0o600)  # nobody waits for a pipe's reader
    if os.fstat(opened).st_size > _MOST:
        os.truncate(opened, 0)
    return opened
