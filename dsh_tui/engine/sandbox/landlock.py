"""Backend Landlock: any Linux kernel since 5.13, nothing to install. Enforcement is partial.

What it can't do by its nature is in `LandlockBackend.gaps`, and a folder that must stay as it is
must not lie inside a writable one: then it refuses. The program that confines is read once, here,
and not from the disk at each command, where an agent that works on dsh-tui could change it.
Source: capabilities B4.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dsh_tui.engine.sandbox import landlock_launcher
from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.sandbox.seam import Confined, Enforcement, SandboxUnavailableError

_DENIALS: Final = ("Permission denied", "Operation not permitted", "Invalid cross-device link")
_NULL: Final = "/dev/null"
_DEVICES: Final = (_NULL, "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108  # semaphores and shared memory of programs live there
FAILURE: Final = (landlock_launcher.FAILED, landlock_launcher.PREFIX)
"""How the launcher ends where it could not confine."""
_TRUNCATE_SINCE: Final = 3
_SCOPES_SINCE: Final = 6


class LandlockBackend:
    """Confines with the kernel's own access rules."""

    name = "landlock"
    enforcement: Enforcement = "partial"

    def __init__(self, python: str = sys.executable) -> None:
        self._python = os.path.realpath(python) if python else ""
        self._program = Path(landlock_launcher.__file__).read_text(encoding="utf-8")

    @property
    def gaps(self) -> tuple[str, ...]:
        known = _version()
        return (
            ".git and .dsh in the working directory can be changed",
            "dsh-tui's own credentials can be read",
            "modes, owners and times of any file of yours can be changed",
            *(
                ()
                if landlock_launcher.closes_sockets()
                else ("programs that listen on a local socket can be asked to act outside",)
            ),
            *(() if known >= _SCOPES_SINCE else ("your other processes can be sent signals",)),
            *(() if known >= _TRUNCATE_SINCE else ("files outside can be cut short",)),
        )

    def fault(self) -> str:
        if not sys.platform.startswith("linux"):
            return "Landlock is a part of Linux"
        if not self._python:
            return "Landlock needs the path of the Python interpreter, and there is none"
        return "" if _version() else "this kernel has no Landlock, or it is switched off"

    def confine(self, argv: Sequence[str], bounds: Bounds, cwd: Path) -> Confined:
        for vital in bounds.vital:
            # Rules only ever add: below a folder that is allowed nothing can be kept out.
            for root in bounds.writable:
                if vital.is_relative_to(root) or root.is_relative_to(vital):
                    where = "lies inside a writable folder" if vital.is_relative_to(root) else "holds one"
                    raise SandboxUnavailableError(
                        f"Landlock can't protect {vital}, which {where}. "
                        "Install bubblewrap, or work in another directory."
                    )
        folders = [str(path) for path in bounds.writable]
        files: Sequence[str] = (_NULL,)
        if bounds.policy == "workspace-write":
            folders.append(_SHARED_MEMORY)
            files = _DEVICES
        return Confined(
            argv=(*self._launcher, "disk", *folders, ":", *files, "--", *argv),
            enforcement=self.enforcement,
            denials=_DENIALS,
            failures=(FAILURE,),
        )

    def scope(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The command line that only cuts the ways to other processes: abstract sockets and signals.

        For a command whose files somebody else confines. Empty where this kernel can't.
        """
        if not self._python or _version() < _SCOPES_SINCE:
            return ()
        return (*self._launcher, "processes", ":", "--", *argv)

    @property
    def _launcher(self) -> tuple[str, ...]:
        return (self._python, "-I", "-S", "-c", self._program)


def _version() -> int:
    try:
        return landlock_launcher.version()
    except (OSError, AttributeError):  # the second: a C library without `syscall`
        return 0
