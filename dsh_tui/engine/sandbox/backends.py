"""Which backends this system has, and the first of them that works.

Quick to import: the command line asks too. Source: capabilities B4 (order).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dsh_tui.engine.sandbox.bubblewrap import BubblewrapBackend
from dsh_tui.engine.sandbox.landlock import LandlockBackend
from dsh_tui.engine.sandbox.seam import Backend, SandboxUnavailableError


def system_backends() -> tuple[Backend, ...]:
    """What can confine commands on this system, the strictest first; none where nothing is known."""
    return (BubblewrapBackend(), LandlockBackend()) if sys.platform.startswith("linux") else ()


def first_working(backends: Sequence[Backend]) -> Backend:
    """The first that works on this machine. May take seconds.

    Raises:
        SandboxUnavailableError: none does; the message says why.
    """
    faults: list[str] = []
    for backend in backends:
        fault = backend.fault()
        if not fault:
            return backend
        faults.append(fault)
    reasons = "; ".join(faults) or "there is no way to confine commands on this system"
    raise SandboxUnavailableError(f"The sandbox is not available: {reasons}.")
