"""A private folder for temporary files, one a session, gone with it.

Commands get it as ``TMPDIR``; the system's own is shared with everybody and stays closed to them.
Source: capabilities B4 (workspace-write).
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterable
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

    async def forget(self, session: Session) -> None:
        """Remove the session's folder with what is in it."""
        folder = self._folders.pop(session.id, None)
        if folder is not None:
            await asyncio.to_thread(_remove, (folder,))

    async def close(self) -> None:
        """Remove all of them."""
        folders = tuple(self._folders.values())
        self._folders.clear()
        await asyncio.to_thread(_remove, folders)


def _remove(folders: Iterable[Path]) -> None:
    """A build leaves ten thousands of files: in a thread."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
