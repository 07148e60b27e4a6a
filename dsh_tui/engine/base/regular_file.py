"""Reads of files that the program opens by itself: never waits, never without a bound.

What lies in such a place need not be a file: a pipe without a writer would be waited for, a device may
have no end, and opening some devices does something. So what is there is looked at before it is opened,
opened without waiting, looked at once more, and read up to a bound.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.errors import HarnessError

_CHUNK: Final = 1_048_576
_REPLACE: Final = "put a file in its place, or remove it"
_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class UnreadableError(HarnessError):
    """A file can't be taken. The message says why and what to do, without its name."""

    code = "FILE_UNREADABLE"

    def __init__(self, why: str, cure: str) -> None:
        super().__init__(f"{why}; {cure}")
        self.why, self.cure = why, cure


def read_regular(path: Path, largest: int, *, follow: bool = True) -> bytes:
    """All of a regular file of at most ``largest`` bytes; ``follow``: links to one, too.

    Raises:
        FileNotFoundError: nothing is there; a link that leads nowhere is something.
        UnreadableError: it is none, is larger, or can't be read.
    """
    with opened_regular(path, follow=follow) as fd:
        return read_bounded(fd, largest)


@contextmanager
def opened_regular(path: Path, *, follow: bool = True) -> Iterator[int]:
    """A descriptor of a regular file, for reading. Raises as `read_regular`, also for an OSError inside."""
    try:
        _check(os.stat(path, follow_symlinks=follow), path)  # noqa: PTH116  # a link itself may be asked about
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        fd = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
        try:
            _check(os.fstat(fd), path)
            yield fd
        finally:
            os.close(fd)
    except FileNotFoundError:
        if path.is_symlink():
            raise UnreadableError("is a link that leads nowhere", "mend the link, or remove it") from None
        raise
    except (OSError, ValueError) as error:
        raise _unreadable(error) from error


def read_bounded(fd: int, largest: int) -> bytes:
    """All that can be read, if it is no more than ``largest`` bytes.

    Raises:
        UnreadableError: it is more.
        OSError: as `os.read` does.
    """
    parts: list[bytes] = []
    left = largest + 1
    while left > 0 and (part := os.read(fd, min(left, _CHUNK))):
        parts.append(part)
        left -= len(part)
    if left <= 0:
        raise UnreadableError(f"is larger than {_size(largest)}", "make it smaller")
    return b"".join(parts)


def _check(found: os.stat_result, path: Path) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISLNK(found.st_mode):
        raise UnreadableError("is a link, and may be none", _REPLACE)
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
    link = f"a link to {os.path.realpath(path)}, " if path.is_symlink() else ""
    raise UnreadableError(f"is {link}{kind}{' and' if link else ','} not a file", _REPLACE)


def _unreadable(error: OSError | ValueError) -> UnreadableError:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return UnreadableError("is a loop of links", "mend the link, or remove it")
    why = f"can't be read ({getattr(error, 'strerror', None) or error})"
    closed = isinstance(error, PermissionError)
    return UnreadableError(why, "give yourself the right to" if closed else "mend that, or remove it")


def _size(size: int) -> str:
    unit, name = (
        (1_048_576, "MiB") if size >= 1_048_576 else (1_024, "KiB") if size >= 1_024 else (1, "bytes")
    )
    return f"{size // unit:,} {name}"
