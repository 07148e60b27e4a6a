"""Instruction files: what the user, and a trusted project, want every agent to know.

The user's own file first, then from the repository's root down to the working directory, so that
the nearest has the last word; where room is short, the farthest gives way. Of equal siblings one
counts. Source: capabilities B5 (AGENTS.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.environment.git_head import repository_root

NAMES: Final = ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md")
BUDGET: Final = 65_536
"""Bytes of all files together, as rendered."""
LARGEST: Final = 1_048_576
"""Bytes of a file that is still read."""

_INTRODUCTION = (
    "Standing instructions from the files below. They hold for the whole session; of two that differ, the "
    "later one wins, and what the user says in the conversation wins over both."
)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """One file that was there, as text."""

    path: Path
    text: str


def project_directories(cwd: Path) -> tuple[Path, ...]:
    """From the repository's root down to ``cwd``; ``cwd`` alone where there is no repository."""
    root = repository_root(cwd)
    if root is None:
        return (cwd,)
    below = [directory for directory in (cwd, *cwd.parents) if directory.is_relative_to(root)]
    return tuple(reversed(below))


def read_instructions(home_file: Path | None, directories: Sequence[Path]) -> tuple[InstructionFile, ...]:
    """What is there and can be read, farthest first."""
    found = [] if home_file is None else list(_read([home_file]))
    for directory in directories:
        found += _read([directory / name for name in NAMES])
    return tuple(found)


def render_instructions(files: Sequence[InstructionFile]) -> str | None:
    """The files as one text within the budget; None where there is nothing to say."""
    left = BUDGET
    parts: list[str] = []
    for file in reversed(files):
        encoded = file.text.encode("utf-8", "replace")
        kept = encoded[: max(left, 0)].decode("utf-8", "ignore")
        left -= len(encoded)
        note = f"\n[cut here; the rest is in {file.path}]" if len(kept) < len(file.text) else ""
        body = kept.replace("</instructions", "<\\/instructions")
        parts.append(f'<instructions path="{_attribute(file.path)}">\n{body}{note}\n</instructions>')
    if not parts:
        return None
    return "\n\n".join((_INTRODUCTION, *reversed(parts)))


def _read(paths: Sequence[Path]) -> Iterator[InstructionFile]:
    seen: set[str] = set()
    for path in paths:
        try:
            if not path.is_file() or path.stat().st_size > LARGEST:
                continue
            text = path.read_text(encoding="utf-8-sig", errors="replace").strip()
        except OSError:
            continue
        if text and text not in seen:
            seen.add(text)
            yield InstructionFile(path, text)


def _attribute(path: Path) -> str:
    shown = "".join(char if char.isprintable() else "\ufffd" for char in str(path))
    return shown.replace('"', "'").replace("<", "‹").replace(">", "›")
