"""The local file system. Published as service ``fs``.

One lock per real file: a compare and the write that follows it are never interleaved with
another of ours; the file's metadata is compared once more right before the rename, so that
other programs are noticed too. Source: capabilities B3; design §3.12.
"""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from functools import partial
from pathlib import Path
from typing import Final, Literal
from weakref import WeakValueDictionary

from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.fs.errors import (
    NOT_REGULAR_FILE,
    PERMISSION_DENIED,
    STALE_VERSION,
    TOO_LARGE,
    FsError,
    from_os_error,
)
from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.fs.paths import follow
from dsh_tui.engine.fs.place import Place, place_of
from dsh_tui.engine.fs.replace import create_file, replace_file
from dsh_tui.engine.fs.seam import Absent, Anything, Entry, Expected, TextFile, TextWindow, Written
from dsh_tui.engine.fs.text import TextFormat, decode
from dsh_tui.engine.fs.version import Version
from dsh_tui.engine.fs.window import stream_window, window_of

MAX_TEXT: Final = 64 * 1024 * 1024
"""Bytes of the largest file that is held as a whole, to be changed."""

MAX_HASHED: Final = 10 * 1024 * 1024
"""Bytes from which on a window is streamed, and the version is metadata only."""


class LocalFileSystem:
    """Files of this machine, as the user may see them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, threading.Lock] = WeakValueDictionary()
        self._locks_guard = threading.Lock()

    async def kind(self, path: Path) -> Literal["file", "directory", "other", "absent"]:
        return await asyncio.to_thread(_kind, path)

    async def read_text(self, path: Path) -> TextFile:
        return await asyncio.to_thread(_read_text, path)

    async def read_window(self, path: Path, first: int, count: int) -> TextWindow:
        return await asyncio.to_thread(_read_window, path, first, count)

    async def read_bytes(self, path: Path, limit: int) -> bytes:
        return (await asyncio.to_thread(_read_raw, path, limit))[1]

    async def list_dir(self, path: Path) -> tuple[Entry, ...]:
        return await asyncio.to_thread(_list_dir, path)

    async def write_text(self, path: Path, text: str, form: TextFormat | None, expected: Expected) -> Written:
        return await to_the_end(partial(self._write, path, text, form or TextFormat(), expected))

    def _write(self, path: Path, text: str, form: TextFormat, expected: Expected) -> Written:
        content = form.encode(text, path)
        with self._lock(path):
            try:
                with place_of(path) as place:
                    return _put(place, content, expected)
            except FileNotFoundError:
                _refuse_absent(path, expected)
            except OSError as error:
                raise from_os_error(error, path, "write") from error
            try:
                with place_of(path, create=True) as place:
                    return _create(place, content)
            except OSError as error:
                raise from_os_error(error, path, "create") from error

    def _lock(self, path: Path) -> threading.Lock:
        with self._locks_guard:
            return self._locks.setdefault(path, threading.Lock())


def _put(place: Place, content: bytes, expected: Expected) -> Written:
    """Raises FileNotFoundError where there is nothing to replace."""
    old, version = _current(place)
    shown = show_path(place.path)
    if isinstance(expected, Absent):
        raise FsError(f"{shown} exists by now. {_REREAD}", code=STALE_VERSION)
    if not isinstance(expected, Anything) and not version.matches(expected):
        raise FsError(f"{shown} changed since it was read. {_REREAD}", code=STALE_VERSION)
    return _replace(place, content, old, version)


def _refuse_absent(path: Path, expected: Expected) -> None:
    if isinstance(expected, Version):
        raise FsError(f"{show_path(path)} is gone since it was read.", code=STALE_VERSION)


_REREAD = "Nothing was written. Read it again, then retry."


def _kind(path: Path) -> Literal["file", "directory", "other", "absent"]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "absent"
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError):
            raise from_os_error(error, path, "look at") from error
        raise FsError(f"{show_path(path)} is a loop of symbolic links.") from error
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def _open(path: Path) -> tuple[int, os.stat_result]:
    """A descriptor of a regular file. Never waits for the other end of a pipe."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise from_os_error(error, path, "read") from error
    return fd, _regular(fd, path)


def _regular(fd: int, path: Path) -> os.stat_result:
    """What the descriptor is open on; one of anything but a regular file is closed."""
    info = os.fstat(fd)
    if stat.S_ISREG(info.st_mode):
        return info
    os.close(fd)
    what = "a directory" if stat.S_ISDIR(info.st_mode) else "not a regular file"
    raise FsError(f"{show_path(path)} is {what}.", code=NOT_REGULAR_FILE)


def _read_raw(path: Path, limit: int) -> tuple[os.stat_result, bytes]:
    return _read_all(_open(path)[0], path, limit)


def _read_all(fd: int, path: Path, limit: int) -> tuple[os.stat_result, bytes]:
    info = _regular(fd, path)
    with os.fdopen(fd, "rb") as file:
        if info.st_size > limit:
            raise FsError(
                f"{show_path(path)} is too large ({info.st_size:,} bytes; the limit is {limit:,}).",
                code=TOO_LARGE,
            )
        try:
            return os.fstat(fd), file.read()
        except OSError as error:
            raise from_os_error(error, path, "read") from error


def _read_text(path: Path) -> TextFile:
    real = follow(path)
    info, raw = _read_raw(real, MAX_TEXT)
    text, form = decode(raw, real)
    return TextFile(real, text, form, Version.of(info, raw))


def _read_window(path: Path, first: int, count: int) -> TextWindow:
    real = follow(path)
    fd, info = _open(real)
    with os.fdopen(fd, "rb") as file:
        try:
            if info.st_size > MAX_HASHED:
                lines, total = stream_window(file, real, first, count)
                return TextWindow(real, lines, first, total, Version.of(info))
            raw = file.read()
        except OSError as error:
            raise from_os_error(error, real, "read") from error
    lines, total = window_of(decode(raw, real)[0], first, count)
    return TextWindow(real, lines, first, total, Version.of(info, raw))


def _list_dir(path: Path) -> tuple[Entry, ...]:
    try:
        with os.scandir(path) as entries:
            found = [Entry(entry.name, _entry_kind(entry)) for entry in entries]
    except OSError as error:
        raise from_os_error(error, path, "list") from error
    return tuple(sorted(found, key=lambda entry: entry.name))


def _entry_kind(entry: os.DirEntry[str]) -> Literal["file", "directory", "link", "other"]:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "directory"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _current(place: Place) -> tuple[bytes, Version]:
    place.stat()
    info, raw = _read_all(place.open(os.O_RDONLY | os.O_NONBLOCK), place.path, MAX_TEXT)
    return raw, Version.of(info, raw)


def _create(place: Place, content: bytes) -> Written:
    try:
        create_file(place, content)
        return Written(place.path, Version.of(place.stat(), content))
    except FileExistsError as error:
        raise FsError(f"{show_path(place.path)} exists by now. {_REREAD}", code=STALE_VERSION) from error


def _replace(place: Place, content: bytes, old: bytes, version: Version) -> Written:
    def unchanged() -> None:
        if not Version.of(place.stat()).same_stat(version):
            raise FsError(f"{show_path(place.path)} was changed just now. {_REREAD}", code=STALE_VERSION)

    try:
        mode = place.stat().st_mode
        writable = os.access(place.name, os.W_OK, dir_fd=place.folder)
        if mode & 0o222 == 0 or not writable:  # the mode too: to root all is writable
            raise FsError(
                f"{show_path(place.path)} is read-only and was not changed. "
                "Ask the user before making it writable.",
                code=PERMISSION_DENIED,
            )
        replace_file(place, content, old, unchanged)
        return Written(place.path, Version.of(place.stat(), content))
    except OSError as error:
        raise from_os_error(error, place.path, "write") from error
