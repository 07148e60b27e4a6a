"""A disk that fails when told to, and otherwise is the machine's own."""

from __future__ import annotations

import errno
import os
import threading

from dsh_tui.engine.persistence.jsonl.disk import SystemDisk


class FlakyDisk(SystemDisk):
    """``room`` bytes may still be written; the named calls fail as often as said; cuts wait for the gate."""

    def __init__(self) -> None:
        self.room: int | None = None
        self.failing_syncs = 0
        self.failing_truncates = 0
        self.short_writes = 0
        self.syncs = 0
        self.gate: threading.Event | None = None
        self.waiting = False

    def write(self, fd: int, data: memoryview) -> int:
        if self.short_writes:
            self.short_writes -= 1
            return os.write(fd, data[: max(1, len(data) // 2)])
        if self.room is None:
            return os.write(fd, data)
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(fd, data[: self.room])
        self.room -= written
        return written

    def sync(self, fd: int) -> None:
        self.syncs += 1
        if self.failing_syncs:
            self.failing_syncs -= 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        if self.gate is not None:
            self.waiting = True
            self.gate.wait(10)
        if self.failing_truncates:
            self.failing_truncates -= 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().truncate(fd, size)
