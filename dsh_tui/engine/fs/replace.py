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
from pathlib import Path

from dsh_tui.engine.base.atomic_file import fsync_dir


def create_file(path: Path, content: bytes) -> None:
    """Make a new file, whole or not at all; its mode is the user's umask's.

    Raises:
        FileExistsError: somebody was quicker.
        OSError: nothing is there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temp = _write_temp(path, content, 0o666)
    try:
        try:
            os.link(temp, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: the check below leaves a small race
            if os.path.lexists(path):
                raise FileExistsError(f"{path} exists") from None
            temp.rename(path)
    finally:
        with contextlib.suppress(OSError):
            temp.unlink()
    fsync_dir(path.parent)


def replace_file(path: Path, content: bytes, before: bytes, check: Callable[[], None]) -> None:
    """Replace an existing regular file. ``check`` runs last and may refuse by raising.

    Raises:
        OSError: the old content is still there.
    """
    info = path.stat()
    if info.st_nlink > 1 or info.st_uid != os.geteuid():
        check()
        _write_in_place(path, content, before)
        return
    try:
        temp = _write_temp(path, content, 0o600)  # never more open than the target, not even for a moment
    except PermissionError:
        check()
        _write_in_place(path, content, before)
        return
    try:
        _copy_attributes(path, temp, info)
        check()
        temp.replace(path)
    except BaseException:  # raised again; what was begun is undone first
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    fsync_dir(path.parent)


def _write_temp(path: Path, content: bytes, mode: int) -> Path:
    temp = path.with_name(f".{secrets.token_hex(8)}.tmp")  # short, however long the target's is
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:  # raised again; what was begun is undone first
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    return temp


def _copy_attributes(source: Path, target: Path, info: os.stat_result) -> None:
    if info.st_gid != target.stat().st_gid:
        with contextlib.suppress(OSError):  # not a member of the group: the mode below still holds
            os.chown(target, -1, info.st_gid)
    target.chmod(stat.S_IMODE(info.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):  # attributes are optional on many file systems
            for name in os.listxattr(source):
                os.setxattr(target, name, os.getxattr(source, name))


def _write_in_place(path: Path, content: bytes, before: bytes) -> None:
    fd = os.open(path, os.O_WRONLY)
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
