"""Which branch a directory is on, read from the repository's files: no process, no hooks, no config.

Source: gitrepository-layout(5).
"""

from __future__ import annotations

import os
from pathlib import Path

from dsh_tui.engine.base.regular_file import UnreadableError, opened_regular

_LONGEST = 4_096  # bytes; HEAD and .git files are one short line


def repository_root(directory: Path) -> Path | None:
    """The nearest directory at or above with a ``.git``."""
    for candidate in (directory, *directory.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def current_branch(root: Path) -> str | None:
    """The branch, ``detached at 1234567``, or None where that can't be read."""
    try:
        head = _line(_git_dir(root) / "HEAD")
    except (OSError, UnreadableError):
        return None
    if head.startswith("ref: refs/heads/"):
        return head.removeprefix("ref: refs/heads/")
    return f"detached at {head[:7]}" if head else None


def _git_dir(root: Path) -> Path:
    """Worktrees and submodules have a ``.git`` file that names the directory."""
    git = root / ".git"
    if git.is_file():
        return root / _line(git).removeprefix("gitdir:").strip()
    return git


def _line(path: Path) -> str:
    with opened_regular(path) as fd:
        text = os.read(fd, _LONGEST).decode("utf-8", "replace")
    return text.splitlines()[0].strip() if text else ""
