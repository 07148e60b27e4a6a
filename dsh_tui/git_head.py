"""The branch of a folder, read from ``.git/HEAD`` without running git."""

from __future__ import annotations

from pathlib import Path

_REF = "ref: refs/heads/"


def branch_of(folder: Path) -> str:
    """Branch name, seven digits of a detached commit, or empty. Never raises."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        try:
            if git.is_file():
                link = git.read_text(encoding="utf-8", errors="replace").strip()
                git = (place / link.removeprefix("gitdir: ")).resolve()
            elif not git.is_dir():
                continue
            head = (git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""
        return head.removeprefix(_REF) if head.startswith(_REF) else head[:7]
    return ""
