"""A private folder for temporary files, one a session, gone with it.

Commands get it as ``TMPDIR``; the system's own is shared with everybody and stays closed to them.
Source: capabilities B4 (workspace-write).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from dsh_tui.engine.base.temp_folder import TempFolder
from dsh_tui.engine.session.session import Session


class TempFolders:
    """Makes each session's folder when it is first needed."""

    def __init__(self) -> None:
        self._folders: dict[str, TempFolder] = {}

    def of(self, session: Session) -> Path:
        """The session's folder, as its real path.

        Raises:
            OSError: it can't be made.
        """
        folder = self._folders.get(session.id)
        if folder is None or not folder.path.is_dir():
            if folder is not None:
                folder.close()  # a command took it away: its lock is still ours
            folder = self._folders[session.id] = TempFolder("sandbox")
        return folder.path

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


def _remove(folders: Iterable[TempFolder]) -> None:
    for folder in folders:
        folder.close()
