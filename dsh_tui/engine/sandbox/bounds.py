"""Bounds: what one call may change on the disk, as plain paths that every enforcer reads alike.

All paths are real: absolute, links followed. Source: capabilities B4.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

Policy: TypeAlias = Literal["read-only", "workspace-write", "danger-full-access"]
POLICIES: Final[tuple[Policy, ...]] = ("read-only", "workspace-write", "danger-full-access")
"""The narrowest first."""
GUARDED: Final = frozenset({".git", ".dsh", ".dsh-tui"})
"""Folders whose files run on their own (hooks, plugins), or steer what does (rules, what is trusted)."""
Confining: TypeAlias = Literal["read-only", "workspace-write"]
Wider: TypeAlias = Literal["workspace-write", "danger-full-access"]
"""What a call may ask for."""


def is_wider(policy: Policy, than: Policy) -> bool:
    """True if it allows strictly more."""
    return POLICIES.index(policy) > POLICIES.index(than)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of one confined call."""

    policy: Confining
    workspace: Path
    """The session's directory."""
    writable: tuple[Path, ...] = ()
    """Folders where everything may change, but for what is guarded."""
    guarded: tuple[Path, ...] = ()
    """Stays as it is even inside a writable folder, where that can be enforced: what runs by itself."""
    vital: tuple[Path, ...] = ()
    """The same, and without exception: a backend that can't keep it must refuse."""
    hidden: tuple[Path, ...] = ()
    """Files that are not even read, where that can be enforced."""
    temp: Path | None = None
    """A folder of the session's own for passing files; one of ``writable``."""

    def allows(self, real: Path) -> bool:
        """Whether this file may be changed."""
        if any(real.is_relative_to(kept) for kept in (*self.guarded, *self.vital)):
            return False
        return any(real.is_relative_to(root) for root in self.writable)
