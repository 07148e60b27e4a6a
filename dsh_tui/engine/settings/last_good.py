"""A copy of settings.yaml as it was when it was last in use, for a start while the file is broken.

Private, replaced as a whole, and written only when it would say something else. Where there is no
settings.yaml any more there is no copy either: the defaults are what was last in use.
Source: design §4 (a broken file).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.settings.loader import LARGEST, SettingsError, parse_settings

if TYPE_CHECKING:
    from dsh_tui.engine.settings.schema import Settings

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LastGood:
    """The copy at ``path``. All calls block; none raises."""

    path: Path

    def read(self) -> tuple[Settings, datetime] | None:
        """What was last in use, and since when; None if there is no copy that can be used."""
        try:
            settings = parse_settings(self.path, self._content())
            return settings, datetime.fromtimestamp(self.path.stat().st_mtime).astimezone()
        except (UnreadableError, SettingsError, OSError) as error:
            if not isinstance(error, FileNotFoundError):
                _log.warning("%s: can't be used: %s", self.path, error)
            return None

    def keep(self, content: bytes | None) -> None:
        """This is in use now; None where there is no file."""
        try:
            if content is None:
                self.path.unlink(missing_ok=True)
            elif not self._holds(content):
                write_atomic(self.path, content, mode=0o600)
        except OSError as error:
            _log.warning("%s: can't be kept: %s", self.path, error)

    def _holds(self, content: bytes) -> bool:
        try:
            return self._content() == content
        except (UnreadableError, FileNotFoundError):
            return False

    def _content(self) -> bytes:
        return read_regular(self.path, LARGEST, follow=False)
