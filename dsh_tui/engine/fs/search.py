"""Searching: what a searcher finds, and which one this machine has.

Hidden and ignored files are searched, version control's own folders are not, links are not
followed. Names are relative to the searched directory. Source: capabilities B3 (glob, grep), B6.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.tools.errors import ToolError

VCS_FOLDERS: Final = (".git", ".hg", ".svn", ".jj", ".bzr", "CVS")
TIME_LIMIT: Final = 30.0
"""Seconds."""
RAW_LIMIT: Final = 20 * 1024 * 1024
"""Bytes of raw results that are taken in."""

T = TypeVar("T")


class SearchError(ToolError):
    """The search could not be made, usually because of its pattern."""

    code = "FS_SEARCH_FAILED"


@dataclass(frozen=True, slots=True)
class Match:
    """One matching line, without its end."""

    name: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """Results in no particular order. ``incomplete`` says why some may be missing, or is empty."""

    items: tuple[T, ...]
    incomplete: str = ""


class Searcher(Protocol):
    """Finds files by name and lines by content below ``root``, which is a directory."""

    async def files(self, root: Path, pattern: str, signal: CancelSignal) -> Found[str]: ...

    async def lines(
        self, root: Path, only: str | None, pattern: str, include: str | None, signal: CancelSignal
    ) -> Found[Match]:
        """``only`` limits the search to one file of the directory."""
