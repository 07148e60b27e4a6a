"""What confines a command: a backend turns a command line into one that runs inside bounds.

Fails closed: a backend that can't keep what it promises raises, and nothing runs.
Source: capabilities B4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.tools.errors import ToolError

Enforcement: TypeAlias = Literal["full", "partial"]
"""Whether the kernel keeps all of the bounds, or leaves gaps that `Backend.gaps` names."""


class SandboxUnavailableError(ToolError):
    """Nothing here can confine a command as asked, so it did not run. The message says why."""

    code = "SANDBOX_UNAVAILABLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confined:
    """A command line that confines itself and then runs the command."""

    argv: tuple[str, ...]
    enforcement: Enforcement
    denials: tuple[str, ...]
    """What programs say when the kernel refuses something, in this backend."""
    failures: tuple[tuple[int, str], ...]
    """Exit status and beginning of stderr that mean: it was not confined, and nothing ran."""
    environment: Mapping[str, str] = field(default_factory=dict)


class Backend(Protocol):
    """One way to confine commands."""

    @property
    def name(self) -> str: ...

    @property
    def enforcement(self) -> Enforcement: ...

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is not enforced, one phrase each; none where enforcement is full."""

    def fault(self) -> str:
        """Why it can't be used on this machine; empty if it can. May take seconds: ask once."""

    def confine(self, argv: Sequence[str], bounds: Bounds, cwd: Path) -> Confined:
        """The command line; it is started in ``cwd``.

        Raises:
            SandboxUnavailableError: these bounds can't be kept here.
        """
