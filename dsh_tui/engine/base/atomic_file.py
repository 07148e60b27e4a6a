"""Whole-file writes that are either there or not: temp file, fsync, rename, fsync of the directory."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from dsh_tui.engine.base.private_folder import make_missing


def write_atomic(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace ``path`` durably. Creates directories (0700) where missing.

    Raises:
        OSError: nothing was replaced; the temp file is gone.
    """
    make_missing(path.parent)
    temp = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temp.replace(path)
    except BaseException:  # raised again; what was begun is undone first
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    fsync_dir(path.parent)


def fsync_dir(path: Path) -> None:
    """Make a rename or a link in ``path`` durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
