"""Putting new bytes where old ones were, so that a crash or a full disk leaves one or the other.

A temp file beside the target, synced, then renamed over it; mode bits, owner and extended
attributes move along. Files with several hard links, another owner, or in a directory that
takes no new files are written in place, and put back if that fails. Source: design §3.12.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable

from dsh_tui.engine.fs.place import Place


def create_file(place: Place, content: bytes) -> None:
    """Make a new file, whole or not at all; its mode is the user's umask's.

    Raises:
        FileExistsError: somebody was quicker.
        OSError: nothing is there.
    """
    temp = _write_temp(place, content, 0o666)
    folder = place.folder
    try:
        try:
            os.link(temp, place.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: the check below leaves a small race
            with contextlib.suppress(FileNotFoundError):
                os.stat(place.name, dir_fd=folder, follow_symlinks=False)
                raise FileExistsError(f"{place.path} exists") from None
            os.rename(temp, place.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        place.unlink(temp)
    place.sync()


def replace_file(place: Place, content: bytes, before: bytes, check: Callable[[], None]) -> None:
    """Replace an existing regular file. ``check`` runs last and may refuse by raising.

    Raises:
        OSError: the old content is still there.
    """
    info = place.stat()
    if info.st_nlink > 1 or info.st_uid != os.geteuid():
        check()
        _write_in_place(place, content, before)
        return
    try:
        temp = _write_temp(place, content, 0o600)  # never more open than the target, not even for a moment
    except PermissionError:
        check()
        _write_in_place(place, content, before)
        return
    try:
        _copy_attributes(place, temp, info)
        check()
        os.replace(temp, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:  # raised again; what was begun is undone first
        place.unlink(temp)
        raise
    place.sync()


def _write_temp(place: Place, content: bytes, mode: int) -> str:
    temp = f".{secrets.token_hex(8)}.tmp"  # short, however long the target's is
    fd = place.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, temp, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:  # raised again; what was begun is undone first
        place.unlink(temp)
        raise
    return temp


def _copy_attributes(place: Place, temp: str, info: os.stat_result) -> None:
    target = place.open(os.O_RDONLY, temp)
    try:
        if info.st_gid != os.fstat(target).st_gid:
            with contextlib.suppress(OSError):  # not a member of the group: the mode below still holds
                os.fchown(target, -1, info.st_gid)
        os.fchmod(target, stat.S_IMODE(info.st_mode))
        if hasattr(os, "listxattr"):
            with contextlib.suppress(OSError):  # attributes are optional on many file systems
                _copy_extended(place, target)
    finally:
        os.close(target)


def _copy_extended(place: Place, target: int) -> None:
    source = place.open(os.O_RDONLY | os.O_NONBLOCK)
    try:
        for name in os.listxattr(source):
            os.setxattr(target, name, os.getxattr(source, name))
    finally:
        os.close(source)


def _write_in_place(place: Place, content: bytes, before: bytes) -> None:
    fd = place.open(os.O_WRONLY)
    try:
        try:
            _overwrite(fd, content)
        except OSError:
            _overwrite(fd, before)
            raise
    finally:
        os.close(fd)


def _overwrite(fd: int, content: bytes) -> None:
    view = memoryview(content)
    offset = 0
    while offset < len(view):
        offset += os.pwrite(fd, view[offset : offset + 1_048_576], offset)
    os.ftruncate(fd, len(view))
    os.fsync(fd)
