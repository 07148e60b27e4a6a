"""Backend bubblewrap: a private view of the disk, where ``bwrap`` is installed and works.

Everything is mounted read-only, then what may be written is mounted over it, then what must stay
inside that, read-only again. The command sees processes, /tmp, /run and devices of its own. It is not
started with ``--die-with-parent``: that would kill at once what has a grace to end in; a command is
ended through its process group, as without a sandbox. Source: capabilities B4.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.sandbox.landlock import FAILURE, LandlockBackend
from dsh_tui.engine.sandbox.local_sockets import socket_files
from dsh_tui.engine.sandbox.seam import Confined, Enforcement

_PLACES: Final = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap")
"""The system's own folders, not PATH: that may name one where the agent writes."""
_PROBE_S: Final = 5.0
_DENIALS: Final = (
    "Read-only file system",
    "Permission denied",
    "Operation not permitted",
    "Device or resource busy",
)
_PRIVATE: Final = ("/tmp", "/var/tmp", "/run")  # noqa: S108  # names of places, not files in them
_ABOVE: Final = frozenset({Path("/"), Path("/var")})
"""A writable one of these is mounted first, or it would cover the private places in it."""
_FILE_CAPABILITIES: Final = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID")
"""Root in a container works on folders that belong to others."""
_NEEDED_RUN: Final = ("systemd/resolve", "resolvconf", "NetworkManager", "current-system", "booted-system")
"""What of /run names and programs are found by. The rest are sockets of programs that act outside."""


def find_bubblewrap() -> str:
    """The path of ``bwrap``; empty where there is none."""
    return next((place for place in _PLACES if Path(place).is_file()), "")


class BubblewrapBackend:
    """Confines with mounts and namespaces of the command's own."""

    name = "bubblewrap"

    def __init__(self, binary: str | None = None) -> None:
        self._binary = find_bubblewrap() if binary is None else binary
        self._landlock = LandlockBackend()

    @property
    def enforcement(self) -> Enforcement:
        return "partial" if self.gaps else "full"

    @property
    def gaps(self) -> tuple[str, ...]:
        cut = self._landlock.scope(("true",))
        return () if cut else ("programs that listen on an abstract socket can be asked to act outside",)

    def fault(self) -> str:
        if not sys.platform.startswith("linux"):
            return "bubblewrap is a program for Linux"
        if not self._binary:
            return "bubblewrap is not installed"
        probe = self.confine(("true",), Bounds(policy="read-only", workspace=Path("/")), Path("/"))
        try:
            done = subprocess.run(  # noqa: S603  # our own command line
                probe.argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_S, check=False
            )
        except subprocess.TimeoutExpired:
            return f"{self._binary} did not answer within {_PROBE_S:.0f} seconds"
        except OSError as error:
            return f"{self._binary} can't be run: {error.strerror or error}"
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return "" if done.returncode == 0 else f"{self._binary} does not work here: {(said or ['?'])[-1]}"

    def confine(self, argv: Sequence[str], bounds: Bounds, cwd: Path) -> Confined:
        command = self._landlock.scope(argv) or argv
        place = ("--chdir", str(cwd.resolve()))  # else a folder that is hidden would be another, unasked
        return Confined(
            argv=(self._binary, *chain.from_iterable(_mounts(bounds)), *place, "--", *command),
            enforcement=self.enforcement,
            denials=_DENIALS,
            failures=((1, "bwrap: "), FAILURE),
        )


def _mounts(bounds: Bounds) -> Iterator[Sequence[str]]:
    """Later ones cover earlier ones."""
    above = [root for root in bounds.writable if root in _ABOVE]
    yield from _foundation(above)
    if any(bounds.workspace.is_relative_to(private) for private in _PRIVATE):
        yield _read_only(bounds.workspace)
    for root in bounds.writable:
        if root not in above:
            yield ("--bind-try", str(root), str(root))
    for kept in (*bounds.guarded, *bounds.vital):
        yield _read_only(kept)
    for file in (*bounds.hidden, *_doors(bounds)):
        if file.exists():
            yield ("--ro-bind", "/dev/null", str(file))
    if bounds.policy == "read-only":
        for private in _PRIVATE:
            yield ("--remount-ro", private)


def _foundation(above: Sequence[Path]) -> Iterator[Sequence[str]]:
    yield ("--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
    if os.geteuid() == 0:
        for capability in _FILE_CAPABILITIES:
            yield ("--cap-add", capability)
    yield ("--ro-bind", "/", "/")
    for root in above:
        yield ("--bind", str(root), str(root))
    yield ("--dev", "/dev", "--proc", "/proc")
    for private in _PRIVATE:
        yield ("--tmpfs", private)
    for needed in _NEEDED_RUN:
        yield ("--ro-bind-try", f"/run/{needed}", f"/run/{needed}")


def _doors(bounds: Bounds) -> Iterator[Path]:
    """Sockets of daemons. Those in writable folders belong to the work; private places hide theirs."""
    covered = (*map(Path, _PRIVATE), *bounds.writable)
    return (path for path in socket_files() if not any(path.is_relative_to(root) for root in covered))


def _read_only(path: Path) -> Sequence[str]:
    return ("--ro-bind-try", str(path), str(path))
