"""The lock file of one session: read, created, replaced and removed as a whole.

It is never there in part: it comes by a hard link that takes nobody's place, and changes by a rename, or
where the disk is full by one write over the same bytes. It is not synced: after a power failure no
writer lives, and what is left is judged by age. All calls block; they belong in a thread.
Source: core spec §4.6.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from dsh_tui.engine.base.atomic_file import fsync_dir, temp_of
from dsh_tui.engine.base.private_folder import make_private
from dsh_tui.engine.persistence.lease.record import Found, LeaseRecord, Stamp, read_record

_FILE_MODE = 0o600
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class LockFile:
    """One ``session.lock.json``. Every call may raise OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Found | None:
        """What lies there; None if nothing does."""
        return read_record(self.path)

    def stamp(self) -> Stamp | None:
        """Which file lies there."""
        try:
            return Stamp.of(self.path.stat())
        except FileNotFoundError:
            return None

    def create(self, record: LeaseRecord) -> Stamp | None:
        """Put the record there; None if something lies there already. Makes the folder."""
        for parent in make_private(self.path.parent):
            fsync_dir(parent)  # the log that follows syncs only folders that it makes itself
        try:
            with self._written(record) as (temp, stamp):
                os.link(temp, self.path)
                return stamp
        except FileExistsError:
            return None
        except OSError:
            self._drop_empty_folder()
            raise

    def replace(self, record: LeaseRecord) -> Stamp:
        """Put the record in the place of what lies there."""
        with self._written(record) as (temp, stamp):
            temp.replace(self.path)
            return stamp

    def renew(self, record: LeaseRecord) -> Stamp:
        """`replace` the record that is ours; a full disk does not keep us from it."""
        try:
            return self.replace(record)
        except OSError as error:
            if error.errno not in _NO_SPACE:
                raise
            return self._write_over(record)

    def remove(self) -> None:
        """Take it away, and its folder if nothing else was ever put there."""
        self.path.unlink()
        self._drop_empty_folder()

    def _drop_empty_folder(self) -> None:
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()

    def _write_over(self, record: LeaseRecord) -> Stamp:
        """Takes no new space. Whoever replaced the file meanwhile is not touched: its is another one."""
        data = record.encode()
        fd = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            if os.fstat(fd).st_size != len(data) or os.pwrite(fd, data, 0) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return Stamp.of(os.fstat(fd))
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def _written(self, record: LeaseRecord) -> Iterator[tuple[Path, Stamp]]:
        """The record in a file of another name, which is gone afterwards."""
        temp = temp_of(self.path)
        try:
            fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
            try:
                data = record.encode()
                if os.write(fd, data) < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                stamp = Stamp.of(os.fstat(fd))
            finally:
                os.close(fd)
            yield temp, stamp
        finally:
            with contextlib.suppress(OSError):
                temp.unlink()
