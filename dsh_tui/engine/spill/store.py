"""Spill files: private (0600 in 0700 directories), one folder a session, capped in size.

They stay when the session ends: its log names them. Nothing here raises for a full or
unwritable disk; a spill that fails is a spill that is not there, and its user says so.
Source: capabilities B2 (retention), B6.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.private_folder import make_missing
from dsh_tui.engine.kernel import ServiceKey

FILE_CAP: Final = 64 * 1024 * 1024
"""Bytes. A stream beyond it has no file: half a file would look like a whole one."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class SpillFile:
    """A file that grows. Beyond the cap, or when the disk refuses, it is gone and ``path`` is None."""

    def __init__(self, path: Path, cap: int) -> None:
        self.path: Path | None = path
        self._room = cap
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def write(self, data: bytes) -> None:
        """Append, or drop the file."""
        if self.path is None:
            return
        self._room -= len(data)
        if self._room < 0:
            self.drop()
            return
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            self.drop()

    def drop(self) -> None:
        """Close and delete."""
        path, self.path = self.path, None
        if path is not None:
            os.close(self._fd)
            with contextlib.suppress(OSError):
                path.unlink()

    def close(self) -> None:
        """Keep what is there. Nothing may be written after it."""
        if self.path is not None and self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class SpillStore:
    """Makes spill files below one root."""

    def __init__(self, root: Path, *, file_cap: int = FILE_CAP) -> None:
        self.root = root
        self._file_cap = file_cap

    def open(self, session_id: str, label: str) -> SpillFile | None:
        """A new file, or None where none can be made."""
        folder = self.root / (_UNSAFE.sub("_", session_id)[:100] or "_")
        stem = _UNSAFE.sub("_", label)[:60]
        try:
            make_missing(folder)
            return SpillFile(folder / f"{stem}-{secrets.token_hex(4)}.txt", self._file_cap)
        except OSError:
            return None

    async def save(self, session_id: str, label: str, text: str) -> Path | None:
        """Write a whole text; None where that failed."""
        return await asyncio.to_thread(self._save, session_id, label, text)

    def _save(self, session_id: str, label: str, text: str) -> Path | None:
        file = self.open(session_id, label)
        if file is None:
            return None
        file.write(text.encode("utf-8", "surrogateescape" if _has_raw_bytes(text) else "replace"))
        path = file.path
        file.close()
        return path


def _has_raw_bytes(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


SPILL: ServiceKey[SpillStore] = ServiceKey("spill")
