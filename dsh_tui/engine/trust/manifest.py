"""A manifest: everything of one project that would take effect there, as it was read once.

The bytes are part of it. Whoever shows, pins, imports or sends a file takes them from here, so that
nothing can change between the look and the use. Source: design §3.14.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["plugin", "rules", "instructions"]


@dataclass(frozen=True, slots=True)
class EntryFile:
    """One file of an entry. ``path`` is relative to the project."""

    path: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """What is trusted as one: a plugin with all its files, the rules, or a file of instructions."""

    kind: Kind
    path: str
    """Relative to the project; of a package its folder."""
    files: tuple[EntryFile, ...]
    note: str = ""
    """What of it never counts, trusted or not."""

    @property
    def key(self) -> str:
        """Names it in the store."""
        return f"{self.kind} {self.path}"

    @property
    def size(self) -> int:
        return sum(len(file.content) for file in self.files)

    @property
    def digest(self) -> str:
        """Of one file as ``sha256sum`` prints it; of a package that of such a list."""
        digests = [hashlib.sha256(file.content).hexdigest() for file in self.files]
        if self.files[0].path == self.path:
            return digests[0]
        listed = "".join(f"{one}  {file.path}\n" for one, file in zip(digests, self.files, strict=True))
        return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that lies where it could take effect, and never does; trust changes nothing about it."""

    path: str
    why: str
    is_fault: bool = True
    """Whether somebody may have meant it to work; not for what this version does not know."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one project brings. ``project`` has no links in it."""

    project: Path
    entries: tuple[Entry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def faults(self) -> tuple[LeftOut, ...]:
        """What may have been meant to work, and does not."""
        return tuple(one for one in self.left_out if one.is_fault)
