"""A place: a file's folder, held open, and its name in it. What was decided on is what is written.

The folder is walked to part by part and no link is followed on the way: the path is real already,
so that a link in it was put there since. From then on the folder may be moved or replaced, and
everything still happens in the one that was found. Source: design §3.12; ADR 19.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.fs.errors import STALE_VERSION, FsError
from dsh_tui.engine.fs.names import show_path

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Place:
    """One name in one open folder. ``path`` is for words only."""

    path: Path
    folder: int

    @property
    def name(self) -> str:
        return self.path.name

    def open(self, flags: int, name: str | None = None, mode: int = 0o600) -> int:
        """A descriptor of the file, or of another in the folder; a link is not followed.

        Raises:
            OSError: as `os.open` does.
        """
        return os.open(name or self.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=self.folder)

    def stat(self) -> os.stat_result:
        """Of the file itself.

        Raises:
            FsError: a link is there now.
            OSError: as `os.stat` does.
        """
        info = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        if stat.S_ISLNK(info.st_mode):
            raise link_in_the_way(self.path)
        return info

    def sync(self) -> None:
        """Make what was done to names in the folder durable."""
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.folder)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def unlink(self, name: str) -> None:
        """Remove a name from the folder; one that is gone is fine."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self.folder)


@contextlib.contextmanager
def place_of(real: Path, *, create: bool = False) -> Iterator[Place]:
    """The place of a real path. ``create``: with the folders that are missing.

    Raises:
        FsError: a link is on the way.
        OSError: there is no such folder.
    """
    folder = os.open(real.anchor, _FOLDER)
    try:
        for depth, part in enumerate(real.parts[1:-1], 2):
            inner = _enter(folder, part, Path(*real.parts[:depth]), create=create)
            os.close(folder)
            folder = inner
        yield Place(real, folder)
    finally:
        os.close(folder)


def link_in_the_way(path: Path) -> FsError:
    """The error for a path that was real when it was decided on."""
    return FsError(
        f"{show_path(path)} leads elsewhere now: a link in it was changed meanwhile. "
        "Nothing was written. Look again, then retry.",
        code=STALE_VERSION,
    )


def _enter(folder: int, part: str, path: Path, *, create: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
        with contextlib.suppress(FileExistsError):  # somebody was quicker
            os.mkdir(part, dir_fd=folder)
        return _enter(folder, part, path, create=False)
    except OSError as error:
        with contextlib.suppress(OSError):
            if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
                raise link_in_the_way(path) from error
        raise
