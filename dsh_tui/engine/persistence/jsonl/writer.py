"""Writes one log file: published whole, then appended to, each time durable or not at all.

The file appears by a no-overwrite hard link of a synced temp file, so nobody ever sees half
a header. An append that fails is cut off again before anything else is written, so a retry
never leaves a cut copy or a number twice. Before each append the file must still be the one,
and as long as, this writer left it: foreign bytes mean that somebody else writes.
All calls block; they belong in a thread, one at a time. Source: core spec §4.3, §4.6.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from dsh_tui.engine.base.atomic_file import fsync_dir, temp_of
from dsh_tui.engine.base.private_folder import make_private
from dsh_tui.engine.persistence.errors import AlreadyStoredError, SessionOwnershipLostError, WriteFailedError
from dsh_tui.engine.persistence.jsonl.disk import SYSTEM_DISK, Disk

_FILE_MODE = 0o600


class LogFile:
    """The one writer of a log file. ``size`` is the length of what is durable."""

    def __init__(self, path: Path, *, disk: Disk = SYSTEM_DISK) -> None:
        """A file that is not there yet; the first `append` publishes it."""
        self.path = path
        self.size = 0
        self._disk = disk
        self._fd = -1
        self._inode = -1
        self._there: int | None = 0
        """How long the file is now; None while an own failed write may hang over."""

    @property
    def published(self) -> bool:
        """True once the file is there."""
        return self._fd >= 0

    @classmethod
    def adopt(cls, path: Path, end: int, size: int, inode: int, *, disk: Disk = SYSTEM_DISK) -> LogFile:
        """Go on in a file that was read: ``end`` bytes of it are good.

        What follows them is cut by the first `append` that adds something, or by `cut`.

        Raises:
            SessionOwnershipLostError: the file has changed since it was read.
            WriteFailedError: it cannot be opened.
        """
        file = cls(path, disk=disk)
        try:
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise _failed(path, error) from error
        file._fd = fd
        stat = os.fstat(fd)
        if (stat.st_ino, stat.st_size) != (inode, size):
            file.close()
            raise _changed(path)
        file._inode, file.size, file._there = inode, end, size
        try:
            os.fchmod(fd, _FILE_MODE)  # logs of an older or laxer writer are tightened
        except OSError as error:
            file.close()
            raise _failed(path, error) from error
        return file

    def append(self, data: bytes, *, header: bytes = b"") -> None:
        """Make the lines durable; ``header`` goes before them if this publishes the file.

        Raises:
            WriteFailedError: nothing was added; a later call may try again.
            SessionOwnershipLostError: somebody else wrote to the file; nothing was added.
            AlreadyStoredError: publishing met a file of that name.
        """
        if self._fd < 0:
            self._publish(header + data)
        elif data:
            self._extend(data)

    def cut(self) -> None:
        """Cut what hangs over the good end.

        Raises:
            WriteFailedError: it hangs there still.
            SessionOwnershipLostError: the file is not as it was left.
        """
        self._check_untouched()
        try:
            self._cut()
        except OSError as error:
            raise _failed(self.path, error) from error

    def close(self) -> None:
        """Let go of the file. A second call changes nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _publish(self, data: bytes) -> None:
        folder = self.path.parent
        temp = temp_of(self.path)
        fd, linked = -1, False
        try:
            gained = make_private(folder)
            fd = os.open(temp, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
            self._write_all(fd, data)
            self._disk.sync(fd)
            os.link(temp, self.path)
            linked = True
            temp.unlink()
            for parent in (folder, *gained):
                fsync_dir(parent)
        except OSError as error:
            if fd >= 0:
                os.close(fd)
            for leftover in (temp, self.path) if linked else (temp,):
                with contextlib.suppress(OSError):
                    leftover.unlink()  # also a link that may not be durable: the retry publishes anew
            with contextlib.suppress(OSError):
                folder.rmdir()  # unless a lease lies there: then there will be a retry
            if isinstance(error, FileExistsError):
                raise AlreadyStoredError(
                    f"{self.path} exists already; nothing was written", path=self.path
                ) from error
            raise _failed(self.path, error) from error
        self._fd, self._inode, self.size = fd, os.fstat(fd).st_ino, len(data)
        self._there = self.size

    def _extend(self, data: bytes) -> None:
        self._check_untouched()
        try:
            self._cut()
            self._there = None
            self._write_all(self._fd, data)
            self._disk.sync(self._fd)
        except OSError as error:
            with contextlib.suppress(OSError):
                self._cut()
            raise _failed(self.path, error) from error
        self.size += len(data)
        self._there = self.size

    def _check_untouched(self) -> None:
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            raise _changed(self.path) from None
        except OSError as error:
            raise _failed(self.path, error) from error
        if stat.st_ino != self._inode or self._there not in (None, stat.st_size):
            raise _changed(self.path)

    def _cut(self) -> None:
        if self._there != self.size:
            self._disk.truncate(self._fd, self.size)
            self._there = self.size

    def _write_all(self, fd: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._disk.write(fd, rest) :]


def _failed(path: Path, error: OSError) -> WriteFailedError:
    reason = error.strerror or type(error).__name__
    return WriteFailedError(
        f"cannot save: {reason}; nothing saved so far is lost, and saving goes on once it can ({path})",
        path=path,
        reason=reason,
    )


def _changed(path: Path) -> SessionOwnershipLostError:
    return SessionOwnershipLostError(
        f"this session can no longer be written here: {path} was changed by another program",
        path=path,
    )
