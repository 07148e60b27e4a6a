"""The program's own log: warnings and worse go to a private file, never to a screen or an answer.

Front ends say in one line what a person must know; what lies behind it is kept here.
"""

from __future__ import annotations

import io
import logging
import os
from pathlib import Path

from dsh_tui.engine.base.private_folder import keep_private


class PrivateFile(logging.FileHandler):
    """A log file that only its owner reads. It appears with the first record. Whoever logs never fails."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:  # logging itself catches what fails behind the opening
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the name that logging calls
        """Nobody is told: a full disk must not write tracebacks over the screen."""

    def _open(self) -> io.TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self.baseFilename, flags | os.O_NONBLOCK, 0o600)  # nobody waits for a reader
        keep_private(descriptor)
        return io.TextIOWrapper(io.FileIO(descriptor, "a"), encoding="utf-8", errors="backslashreplace")


def log_to(folder: Path) -> None:
    """Send the log of this process to a file in ``folder``."""
    handler = PrivateFile(folder / "dsh-tui.log", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
