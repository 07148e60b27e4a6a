"""settings.yaml with its last good values: a broken save changes nothing until it is mended.

Source: design §4 (a broken file).
"""

from __future__ import annotations

import os
from pathlib import Path

from dsh_tui.engine.settings.loader import SettingsError, load_settings


class SettingsFile:
    """Reads the file when asked, and only then; never writes it."""

    def __init__(self, path: Path, *, tolerant: bool = False) -> None:
        """Read it for the first time; ``tolerant`` goes on with defaults where it is broken.

        Raises:
            SettingsError: it is broken, and nobody is tolerant.
        """
        from dsh_tui.engine.settings.schema import Settings

        self.path = path
        self.current = Settings()
        self.fault = ""
        """What is wrong with the file as it is now; empty if it is in use."""
        self._seen = _signature(path)
        try:
            self.current = load_settings(path)
        except SettingsError as error:
            if not tolerant:
                raise
            self.fault = error.message

    def reload(self) -> bool:
        """Look whether the file has changed, and take it up; whether values or fault are new."""
        signature = _signature(self.path)
        if signature == self._seen:
            return False
        self._seen = signature
        before = (self.current, self.fault)
        try:
            self.current, self.fault = load_settings(self.path), ""
        except SettingsError as error:
            self.fault = error.message
        return (self.current, self.fault) != before


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116  # one call, no object around it: it runs every few seconds
    except OSError:
        return None
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
