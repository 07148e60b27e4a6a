"""The four system calls that a log is written with, replaceable so that tests can make them fail.

Source: core spec §4.3.
"""

from __future__ import annotations

import os
from typing import Protocol


class Disk(Protocol):
    """What a `LogFile` asks of the operating system. Every call may raise OSError."""

    def write(self, fd: int, data: memoryview) -> int:
        """Write some of the data; says how much."""
        ...

    def sync(self, fd: int) -> None:
        """Make what was written durable."""
        ...

    def truncate(self, fd: int, size: int) -> None:
        """Cut the file."""
        ...


class SystemDisk:
    """The machine's own."""

    def write(self, fd: int, data: memoryview) -> int:
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        # fdatasync makes data and size durable and spares the times, where the system has it.
        getattr(os, "fdatasync", os.fsync)(fd)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)


SYSTEM_DISK = SystemDisk()
