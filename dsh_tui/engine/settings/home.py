"""The home folder: where sessions, plugins, settings and credentials live.

``$DSH_TUI_HOME``, else ``~/.dsh-tui``; directories 0700, files 0600. Source: design §3.2.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.private_folder import make_missing

_MODE = 0o700
_OTHERS = 0o077


class HomeError(HarnessError):
    """The home folder can't be used; the message names it and says what to do."""

    code = "HOME_UNUSABLE"


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one root. Nothing is created until `prepare`."""

    root: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Home:
        """The home that this environment names; relative paths count from the working directory.

        Raises:
            HomeError: nobody can tell where that is.
        """
        named = environ.get("DSH_TUI_HOME", "").strip()
        try:
            return cls(Path(named).expanduser().absolute() if named else Path.home() / ".dsh-tui")
        except (OSError, RuntimeError) as error:  # no home of that user; no working directory
            raise HomeError(
                f"can't tell where {named or '~/.dsh-tui'} is; set DSH_TUI_HOME to a folder"
            ) from error

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def plugins(self) -> Path:
        return self.root / "plugins"

    @property
    def settings(self) -> Path:
        return self.root / "settings.yaml"

    @property
    def last_settings(self) -> Path:
        """What `settings` held when it was last in use; safe to delete."""
        return self.root / "settings.last-good.yaml"

    @property
    def credentials(self) -> Path:
        return self.root / "credentials.yaml"

    @property
    def trust(self) -> Path:
        """Which content of which projects may take effect."""
        return self.root / "trust.json"

    @property
    def instructions(self) -> Path:
        return self.root / "AGENTS.md"

    @property
    def index(self) -> Path:
        """Derived from the sessions; safe to delete."""
        return self.root / "index.sqlite"

    @property
    def trash(self) -> Path:
        """Deleted sessions, until the user removes them."""
        return self.root / "trash"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def spill(self) -> Path:
        return self.root / "spill"

    def prepare(self) -> None:
        """Create what is missing and prove that it can be written.

        Raises:
            HomeError: it cannot; nothing of the user's was changed.
        """
        try:
            for folder in (self.root, self.sessions, self.plugins, self.logs):
                make_missing(folder)
                found = folder.stat()
                if found.st_uid != os.geteuid():
                    raise HomeError(
                        f"{folder} belongs to another user; "
                        "give it to yourself, or set DSH_TUI_HOME to another folder"
                    )
                if folder != self.root and found.st_mode & _OTHERS:  # the root may be anything the user named
                    folder.chmod(_MODE)
        except OSError as error:
            trouble = (
                "a file is in the way" if isinstance(error, FileExistsError | NotADirectoryError) else None
            )
            raise HomeError(
                f"cannot use {self.root} as home: {trouble or error.strerror or error}; "
                "mend that, or set DSH_TUI_HOME to another folder"
            ) from error
        if not os.access(self.sessions, os.W_OK | os.X_OK):
            raise HomeError(
                f"cannot write to {self.sessions}; mend its permissions or set DSH_TUI_HOME to another folder"
            )
