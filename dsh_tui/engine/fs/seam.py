"""The file system as tools see it: paths are resolved, text keeps its form, writes compare first.

All methods may block on the disk in a thread of their own; none blocks the event loop.
Source: capabilities B3 (provider).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from dsh_tui.engine.fs.text import TextFormat
from dsh_tui.engine.fs.version import Version
from dsh_tui.engine.kernel import ServiceKey


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file, whole, as it was at ``version``. Line ends are in the text, the mark is not."""

    path: Path
    """The real file, links followed."""
    text: str
    format: TextFormat
    version: Version


@dataclass(frozen=True, slots=True)
class TextWindow:
    """Some lines of a file that may be too large to hold. Lines are without their ends."""

    path: Path
    lines: tuple[str, ...]
    first: int
    """1-based number of the first of ``lines``."""
    total: int
    version: Version


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory."""

    name: str
    kind: Literal["file", "directory", "link", "other"]


@dataclass(frozen=True, slots=True)
class Absent:
    """The target must not exist."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever is there may be replaced."""


Expected: TypeAlias = Version | Absent | Anything


@dataclass(frozen=True, slots=True)
class Written:
    """A finished write: where it went and what the file is now."""

    path: Path
    version: Version


class FileSystem(Protocol):
    """Reads and changes files. Every failure is an `FsError` that names the path."""

    async def kind(self, path: Path) -> Literal["file", "directory", "other", "absent"]: ...

    async def read_text(self, path: Path) -> TextFile:
        """The whole file, up to `MAX_TEXT` bytes."""

    async def read_window(self, path: Path, first: int, count: int) -> TextWindow:
        """Lines from the 1-based ``first`` on, of a file of any size."""

    async def read_bytes(self, path: Path, limit: int) -> bytes: ...

    async def list_dir(self, path: Path) -> tuple[Entry, ...]:
        """Entries by name."""

    async def write_text(self, path: Path, text: str, form: TextFormat | None, expected: Expected) -> Written:
        """Replace the whole file if it is as ``expected``. ``form`` None: plain UTF-8.

        ``path`` is a real one: a link on the way was put there meanwhile, and is an error.
        """


FS: ServiceKey[FileSystem] = ServiceKey("fs")
