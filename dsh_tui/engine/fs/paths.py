"""Paths: what a model wrote, turned into the one path that is checked, shown and opened.

Relative to the session's directory; ``~`` is the user's home; nothing else is expanded.
``..`` and links stay as they are for the system to resolve. A name that does not exist as
written is tried once more as the quoted form that listings show, and in the other Unicode
normal form, so that no look-alike twin is created. Source: capabilities B3; design §3.17.
"""

from __future__ import annotations

import asyncio
import os
import re
import unicodedata
from pathlib import Path

from dsh_tui.engine.fs.errors import INVALID_PATH, FsError, from_os_error
from dsh_tui.engine.fs.names import unescape, unquote

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def resolve(cwd: Path, raw: str) -> Path:
    """The absolute path meant by ``raw``; links are not followed and it need not exist.

    Raises:
        FsError: ``FS_INVALID_PATH``: empty, with a NUL, or a URL.
    """
    if not raw:
        raise FsError("The path is empty.", code=INVALID_PATH)
    if "\0" in raw:
        raise FsError("The path contains a NUL character, which no file name can.", code=INVALID_PATH)
    if _URL.match(raw):
        raise FsError(f"{raw[:200]!r} is a URL. Give a path of the file system.", code=INVALID_PATH)
    literal = _absolute(cwd, raw)
    if _exists(literal):
        return literal
    for other in (unquote(raw), unescape(raw)):
        if other and other != raw and "\0" not in other and _exists(path := _absolute(cwd, other)):
            return path
    return literal if raw.isascii() else _in_other_form(literal)


async def locate(cwd: Path, raw: str) -> tuple[Path, Path]:
    """What `resolve` says, and the real file that `follow` finds behind it."""

    def both() -> tuple[Path, Path]:
        path = resolve(cwd, raw)
        return path, follow(path)

    return await asyncio.to_thread(both)


def follow(path: Path) -> Path:
    """The file behind all links, absolute and without ``..``; its last part need not exist.

    Raises:
        FsError: a loop of links, or a part that can't be looked at.
    """
    try:
        return path.resolve(strict=True)
    except FileNotFoundError:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: pathlib's word for a loop before 3.13
        if isinstance(error, OSError):
            raise from_os_error(error, path, "resolve") from error
        raise FsError(f"{path} is a loop of symbolic links.") from error


def _absolute(cwd: Path, raw: str) -> Path:
    if raw == "~" or raw.startswith("~/"):
        return Path.home() / raw[2:]
    return cwd / raw


def _exists(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False


def _in_other_form(path: Path) -> Path:
    """The path with each missing part replaced by the only existing one that reads the same."""
    found = Path(path.anchor)
    for part in path.parts[1:]:
        child = found / part
        if not part.isascii() and not _exists(child):
            wanted = unicodedata.normalize("NFC", part)
            twins = [name for name in _names(found) if unicodedata.normalize("NFC", name) == wanted]
            if len(twins) == 1:
                child = found / twins[0]
        found = child
    return found


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  # names alone: a Path per entry is slow in big folders
    except OSError:
        return []
