"""Finds the files of a project for ``@`` mentions. Blocking: call it in a thread.

Breadth first, so that near files come before deep ones when the limit cuts the walk.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

SKIPPED: Final = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
    | {".hg", ".svn", ".tox", "dist", "target", ".idea"}
)
LIMIT: Final = 50_000
"""Most files that are listed."""


def find_files(root: Path, stopped: Callable[[], bool] = lambda: False, limit: int = LIMIT) -> list[str]:
    """Paths relative to ``root`` with ``/``, directories with a ``/`` at the end. Links are not followed."""
    found: list[str] = []
    waiting = deque([""])
    while waiting and not stopped():
        below = waiting.popleft()
        try:
            with os.scandir(root / below) as entries:
                rows = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in rows:
            if entry.name in SKIPPED:
                continue
            path = below + entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")
                path += "/"
            found.append(path)
            if len(found) >= limit:
                return found
    return found
