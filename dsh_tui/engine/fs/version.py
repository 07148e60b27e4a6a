"""Versions: what a file was when somebody looked at it. Opaque to everyone but this package.

Equal content is the same version, whoever wrote it and whenever. Files too large to hash are
told apart by identity, size and time. Source: capabilities B3; design §3.12.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Version:
    """One state of one file. ``sha256`` is empty where the file was not read as a whole."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    sha256: str = ""

    @classmethod
    def of(cls, stat: os.stat_result, content: bytes | None = None) -> Version:
        digest = "" if content is None else hashlib.sha256(content).hexdigest()
        return cls(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, digest)

    def same_stat(self, other: Version) -> bool:
        """Nobody replaced or wrote the file, as far as its metadata tells."""
        return (self.device, self.inode, self.size, self.mtime_ns) == (
            other.device,
            other.inode,
            other.size,
            other.mtime_ns,
        )

    def matches(self, other: Version) -> bool:
        """The content is the same, or nothing says that it is not."""
        if self.sha256 and other.sha256:
            return self.sha256 == other.sha256
        return self.same_stat(other)
