"""settings.yaml with its last good values: a broken save changes nothing until it is mended.

What stands in for a file that is broken from the start is the copy of what was last in use. Without one it
is the defaults, and nothing that the file denies is lost: its deny and ask rules hold as far as they can be
read, and what there may be besides asks. `notice` says what is in use.
Source: design §3.15, §4 (a broken file).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from dsh_tui.engine.permissions.broken_file import Strict, strict_rules
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.settings.last_good import LastGood
from dsh_tui.engine.settings.loader import SettingsError, parse_settings, read_settings

_UNTIL_MENDED: Final = "until this is mended"


class Signature(NamedTuple):
    """Another one: the file was written."""

    inode: int
    size: int
    modified_ns: int
    changed_ns: int


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
        self.unread: tuple[UnreadRule, ...] = ()
        """What stands for rules that nobody can read."""
        self.fault = ""
        """What is wrong with the file as it is now; empty if it is in use."""
        self._content: bytes | None = None
        """What it held when it was good."""
        self.instead = ""
        """What is in use while it is broken, as the beginning of a sentence."""
        self._stands_in = False
        """Whether it was broken from the start, and is."""
        self._was_blank = False
        """Whether nothing stood in it at the last look, and something before."""
        self._last_good = last_good
        self._seen = _signature(path)
        try:
            self._take()
        except SettingsError as error:
            if not tolerant:
                raise
            self._stand_in(error.message)

    @property
    def notice(self) -> str:
        """What is in use instead of the file, and why; empty if the file is."""
        return f"{self.instead} {_UNTIL_MENDED}: {self.fault}" if self.fault else ""

    def reload(self) -> bool:
        """Look whether the file has changed, and take it up; whether values or fault are new."""
        signature = _signature(self.path)
        if self._may_be_in_work(signature) or signature == self._seen:
            return False
        self._seen = signature
        before = (self.current, self.fault)
        try:
            self._take()
        except SettingsError as error:
            if self._stands_in:
                self._stand_in(error.message)
            else:
                self.fault, self.instead = error.message, "What was in use before stays"
        return (self.current, self.fault) != before

    def _may_be_in_work(self, signature: Signature | None) -> bool:
        """Whether the file is empty or gone for the first time: so is one that an editor is writing."""
        is_blank = bool(self._content) and (signature is None or signature.size == 0)
        self._was_blank, was_blank = is_blank, self._was_blank
        return is_blank and not was_blank

    def keep(self) -> None:
        """Let what is in use be the last good values, if it is the file's. Blocks."""
        if self._last_good is not None and not self.fault:
            self._last_good.keep(self._content)

    def _take(self) -> None:
        from dsh_tui.engine.settings.schema import Settings

        content = read_settings(self.path)
        self.current = Settings() if content is None else parse_settings(self.path, content)
        self._content, self.unread, self.fault, self._stands_in = content, (), "", False

    def _stand_in(self, fault: str) -> None:
        self.fault, self.unread, self._stands_in = fault, (), True
        known = self._last_good.read() if self._last_good is not None else None
        if known is None:
            self._use_defaults(self._strict_rules(fault))
        else:
            self.current = known[0]
            self.instead = f"Your last good settings ({known[1]:%Y-%m-%d %H:%M}) are in use"

    def _use_defaults(self, strict: Strict) -> None:
        from dsh_tui.engine.settings.schema import PermissionSettings, Settings

        bodies = {
            effect: tuple(rule.body for rule in strict.rules if rule.effect == effect)
            for effect in ("ask", "deny")
        }
        self.current, self.unread = Settings(permissions=PermissionSettings(**bodies)), strict.unread
        rules = "Your deny and ask rules and otherwise defaults" if strict.rules else "Defaults"
        self.instead = f"{rules} are in use"
        if self.unread:
            asks = ", and ".join(dict.fromkeys(one.effect_now for one in self.unread))
            self.instead += f", and since not every rule can be read, {asks}"

    def _strict_rules(self, fault: str) -> Strict:
        try:
            return strict_rules(self.path, read_settings(self.path) or b"", fault)
        except SettingsError:
            return Strict(unread=(UnreadRule(f"the rules in {self.path}", fault),))


def _signature(path: Path) -> Signature | None:
    try:
        stat = os.stat(path)  # noqa: PTH116  # one call, no object around it: it runs every few seconds
    except OSError:
        return None
    return Signature(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
