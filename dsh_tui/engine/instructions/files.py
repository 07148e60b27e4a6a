"""Instruction files: what the user, and a trusted project, want every agent to know.

A project's are looked for from the repository's root down to the working directory, so that the nearest
has the last word; where room is short, the farthest gives way. Those in directories below are not
read. Source: capabilities B5 (AGENTS.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.trust.project_files import LARGEST_INSTRUCTIONS

BUDGET: Final = 65_536
"""Bytes of all files together, as rendered."""

OWN: Final = (
    "Standing instructions of the user, from the file below. They hold for the whole session; what the user "
    "says in the conversation wins over them."
)
PROJECT: Final = (
    "Instructions of this project, from the files below; the user trusts them. They take the place of any "
    "earlier instructions of this project. Of two that differ, the later one wins, and what the user says in "
    "the conversation wins over both."
)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """One file that was there, as text."""

    path: Path
    text: str


def read_own(path: Path) -> InstructionFile | None:
    """The user's own file, if it is there.

    Raises:
        UnreadableError: it can't be read.
    """
    try:
        return instruction_file(path, read_regular(path, LARGEST_INSTRUCTIONS))
    except FileNotFoundError:
        return None


def own_fault(path: Path) -> str:
    """What keeps the user's own file from being read as it is; empty if nothing does."""
    try:
        fault = not_utf8(read_regular(path, LARGEST_INSTRUCTIONS))
    except FileNotFoundError:
        return ""
    except UnreadableError as error:
        return f"{path}: {error.message}; no session gets these instructions"
    return f"{path}: {fault}" if fault else ""


def not_utf8(content: bytes) -> str:
    """Where and how the text is not what it should be; empty if it is."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return f"line {line} is not UTF-8 text, what can't be read of it is sent as \ufffd; save it as UTF-8"
    return ""


def instruction_file(path: Path, content: bytes) -> InstructionFile | None:
    """The file as text; None where it says nothing."""
    text = content.decode("utf-8-sig", "replace").strip()
    return InstructionFile(path, text) if text else None


def render_instructions(introduction: str, files: Sequence[InstructionFile]) -> str | None:
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
    return "\n\n".join((introduction, *reversed(parts)))


def _attribute(path: Path) -> str:
    shown = "".join(char if char.isprintable() else "\ufffd" for char in str(path))
    return shown.replace('"', "'").replace("<", "‹").replace(">", "›")
