"""A private folder for temporary files, one a session, gone with it.

Commands get it as ``TMPDIR``; the system's own is shared with everybody and stays closed to them.
Source: capabilities B4 (workspace-write).
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from dsh_tui.engine.session.session import Session


class TempFolders:
    """Makes each session's folder when it is first needed."""

    def __init__(self) -> None:
        self._folders: dict[str, Path] = {}

    def of(self, session: Session) -> Path:
        """The session's folder, as its real path.

        Raises:
            OSError: it can't be made.
        """
        folder = self._folders.get(session.id)
        if folder is None or not folder.is_dir():
            folder = Path(tempfile.mkdtemp(prefix="dsh-tui-sandbox-")).resolve()
            self._folders[session.id] = folder
        return folder

    def forget(self, session: Session) -> None:
        """Remove the session's folder with what is in it."""
        folder = self._folders.pop(session.id, None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove all of them."""
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        self._folders.clear()
