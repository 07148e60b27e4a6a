"""Process groups: who of a command still runs, and ending them.

A command's shell leads a group of its own. Processes that left it on purpose are found by a mark
in their environment, where the system shows that (Linux); they are ended only when the command
is stopped, not when it ends by itself. Zombies count as gone. Source: capabilities B2.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MARK: Final = "DSH_SHELL_CALL"
"""The environment variable that all processes of one command share."""

_PROC = Path("/proc")


def group_runs(group: int) -> bool:
    """True while a member of the process group is alive."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # a member changed its user; it is there
        return True
    if not _PROC.is_dir():
        return True
    return any(fields[2] == str(group) and fields[0] not in ("Z", "X") for _, fields in _stats())


def marked(mark: str) -> list[int]:
    """Live processes that carry the mark; none where the system does not tell."""
    wanted = f"{MARK}={mark}".encode()
    found: list[int] = []
    for pid, fields in _stats():
        if fields[0] in ("Z", "X") or pid == os.getpid():
            continue
        with contextlib.suppress(OSError):  # somebody else's, or gone meanwhile
            if wanted in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found


def signal_group(group: int, number: signal.Signals) -> None:
    """Send to all members; a group that is gone is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def signal_each(pids: list[int], number: signal.Signals) -> None:
    """Send to these; those that are gone are fine."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def signal_name(number: int) -> str:
    """``SIGTERM`` for 15."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _stats() -> Iterator[tuple[int, list[str]]]:
    """Each process with the fields of its status line from the state on: state, parent, group, …"""
    try:
        names = os.listdir(_PROC)  # noqa: PTH208  # names alone, on a slow pseudo file system
    except OSError:
        return
    for name in names:
        if name.isdigit():
            with contextlib.suppress(OSError):  # gone meanwhile
                line = (_PROC / name / "stat").read_text("utf-8", "replace")
                yield int(name), line[line.rfind(")") + 2 :].split()
