"""The pattern of a rule for file tools: a glob for paths.

Relative to the project, absolute, or from the home with ``~/``. ``*`` and ``?`` stay within one
folder, ``**`` crosses folders, and ``dir/**`` is ``dir`` itself too. Source: design §4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from dsh_tui.engine.fs.globs import Glob
from dsh_tui.engine.fs.search import SearchError

LONGEST: Final = 1_000
_MAGIC: Final = frozenset("*?[{\\")
_ESCAPED = re.compile(r"([*?\[\]{}\\])")


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A glob, anchored in a project."""

    text: str

    def matches(self, path: Path, project: Path) -> bool:
        """True if the absolute ``path`` is one of those meant in ``project``."""
        return _matches(self._anchored(project), str(path))

    def may_lie_below(self, folder: Path, project: Path) -> bool:
        """True if paths that it means can lie below ``folder``."""
        start = Path(self._literal_start(project))
        return start.is_relative_to(folder) or (
            self._anchored(project) != str(start) and folder.is_relative_to(start)
        )

    def spells(self, part: str) -> bool:
        """True if ``part`` stands in the pattern as a folder of its own."""
        return part in self.text.split("/")

    def _anchored(self, project: Path) -> str:
        if self.text.startswith("/"):
            return self.text
        if self.text.startswith("~/"):
            return f"{escape(str(Path.home()))}/{self.text[2:]}"
        return f"{escape(str(project)).rstrip('/')}/{self.text.removeprefix('./')}"

    def _literal_start(self, project: Path) -> str:
        """The folders in front of the first wildcard."""
        parts = self._anchored(project).split("/")
        literal = parts[: _first_magic(parts)]
        return "/".join(literal) or "/"


def escape(text: str) -> str:
    """``text`` as a pattern that means just it."""
    return _ESCAPED.sub(r"\\\1", text)


@lru_cache(maxsize=1024)
def read_path_pattern(text: str) -> PathPattern:
    """The pattern that ``text`` writes out.

    Raises:
        ValueError: it is none; the message is one clause that says why.
    """
    if not text or text.strip() != text:
        raise ValueError("the path is empty or has blanks around it")
    if len(text) > LONGEST:
        raise ValueError(f"the path has more than {LONGEST:,} characters")
    if any(ord(char) < 32 or char == "\x7f" for char in text):
        raise ValueError("the path has control characters")
    if ".." in text.split("/"):
        raise ValueError(
            "a path with `..` means nothing that a resolved path could be; write the place itself"
        )
    try:
        Glob(f"/{text}")
    except SearchError as error:
        raise ValueError(str(error).rstrip(".")) from error
    return PathPattern(text)


@lru_cache(maxsize=1024)
def _glob(text: str) -> Glob:
    return Glob(text)


def _matches(glob: str, path: str) -> bool:
    compiled, plain = _glob(glob), path.lstrip("/")
    return compiled.matches(plain) or (glob.endswith("/**") and compiled.matches(f"{plain}/"))


def _first_magic(parts: list[str]) -> int:
    return next((at for at, part in enumerate(parts) if not _MAGIC.isdisjoint(part)), len(parts))
