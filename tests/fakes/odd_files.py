"""What may lie where a file is expected: pipes, devices, folders, links, files without an end."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

HUGE = 64 * 1_048_576


def _socket(path: Path) -> None:
    # Bound from its folder: an address may be no longer than 107 bytes.
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(path.parent):
        listening.bind(path.name)


def _link_to_a_pipe(path: Path) -> None:
    os.mkfifo(f"{path}.pipe")
    path.symlink_to(f"{path}.pipe")


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, HUGE)  # sparse: it takes no room


ODD_FILES: Mapping[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "directory": os.mkdir,
    "socket": _socket,
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "link to a pipe": _link_to_a_pipe,
    "dangling link": lambda path: path.symlink_to(path.parent / "nowhere"),
    "loop of links": lambda path: path.symlink_to(path),
    "huge file": _huge,
}
"""Each makes one of its kind. None of them can be taken for a file of reasonable size."""
