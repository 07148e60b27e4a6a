"""settings.yaml with its last good values: a broken save changes nothing until it is mended.

What stands in for a file that is broken from the start is the copy of what was last in use; without one
the defaults, with the file's permission rules wherever those can be told. `notice` says which it is: rules
that are not in force are never passed over in silence.
Source: design §4 (a broken file).
"""

from __future__ import annotations

import os
from pathlib import Path

from dsh_tui.engine.settings.last_good import LastGood
from dsh_tui.engine.settings.loader import SettingsError, parse_settings, read_settings

UNTIL_MENDED = "until this is mended"


class SettingsFile:
    """Reads the file when asked, and only then; never writes it."""

    def __init__(self, path: Path, *, tolerant: bool = False, last_good: LastGood | None = None) -> None:
        """Read it for the first time; ``tolerant`` goes on with other values where it is broken.

        Raises:
            SettingsError: it is broken, and nobody is tolerant.
        """
        from dsh_tui.engine.settings.schema import Settings

        self.path = path
        self.current = Settings()
        self.fault = ""
        """What is wrong with the file as it is now; empty if it is in use."""
        self.knows_rules = True
        """Whether rules that it holds, or held, are in force."""
        self._content: bytes | None = None
        """What the file held when it was good."""
        self._in_use = ""
        """What is in use while it is broken."""
        self._stands_in = False
        """Whether it was broken from the start, and is."""
        self._last_good = last_good
        self._seen = _signature(path)
        try:
            self._take()
        except SettingsError as error:
            if not tolerant:
                raise
            self._stand_in(error)

    @property
    def notice(self) -> str:
        """What is in use instead of the file, and why; empty if the file is."""
        return f"{self._in_use} {UNTIL_MENDED}: {self.fault}" if self.fault else ""

    def reload(self) -> bool:
        """Look whether the file has changed, and take it up; whether values or fault are new."""
        signature = _signature(self.path)
        if signature == self._seen:
            return False
        self._seen = signature
        before = (self.current, self.fault)
        try:
            self._take()
        except SettingsError as error:
            if self._stands_in:
                self._stand_in(error)
            else:
                self.fault, self._in_use = error.message, "What was in use before stays"
        return (self.current, self.fault) != before

    def keep(self) -> None:
        """Let what is in use be the last good values, if it is the file's. Blocks."""
        if self._last_good is not None and not self.fault:
            self._last_good.keep(self._content)

    def _take(self) -> None:
        from dsh_tui.engine.settings.schema import Settings

        content = read_settings(self.path)
        self.current = Settings() if content is None else parse_settings(self.path, content)
        self._content, self.fault, self.knows_rules, self._stands_in = content, "", True, False

    def _stand_in(self, error: SettingsError) -> None:
        from dsh_tui.engine.settings.schema import Settings

        self.fault, self._stands_in = error.message, True
        known = self._last_good.read() if self._last_good is not None else None
        self.knows_rules = known is not None or error.permissions is not None
        if known is not None:
            self.current = known[0]
            self._in_use = f"Your last good settings ({known[1]:%Y-%m-%d %H:%M}) are in use"
        elif error.permissions is None:
            self.current = Settings()
            self._in_use = "NONE OF YOUR PERMISSION RULES IS IN FORCE, defaults are in use,"
        else:
            self.current = Settings(permissions=error.permissions)
            has_rules = bool(error.permissions.rules)
            self._in_use = (
                f"{'Your permission rules and otherwise defaults' if has_rules else 'Defaults'} are in use"
            )


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116  # one call, no object around it: it runs every few seconds
    except OSError:
        return None
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
