"""Pasted text: made harmless, and folded to a chip in the draft when it is large.

Invariant: what is sent is what was pasted. A chip stands for its text and nothing else;
a chip whose text is unknown stays as it is written.
Source: UX spec §2 D, §1 (paste collapse).
"""

from __future__ import annotations

import re
from typing import Final

CHIP_CHARACTERS: Final = 1_000
CHIP_LINES: Final = 15

_ESCAPE_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
CHIP: Final = re.compile(r"\[paste #(\d+) · [\d,]+ (?:lines?|characters)\]")


def clean(text: str) -> str:
    """Line ends as ``\\n``; escape sequences and control characters but tab and newline taken out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _ESCAPE_SEQUENCE.sub("", text))


class Pastes:
    """The large pastes of this run, by the number in their chip."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def fold(self, text: str) -> str:
        """What goes into the draft for a cleaned paste: itself, or a chip."""
        lines = text.count("\n") + (not text.endswith("\n"))
        if len(text) < CHIP_CHARACTERS and lines < CHIP_LINES:
            return text
        number = len(self._texts) + 1
        self._texts[number] = text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        return f"[paste #{number} · {size}]"

    def expand(self, draft: str) -> str:
        """The draft with the text of every chip in it."""
        return CHIP.sub(lambda match: self._texts.get(int(match[1]), match[0]), draft)

    def holds(self, draft: str) -> bool:
        """Whether the draft has a chip of ours."""
        return any(int(number) in self._texts for number in CHIP.findall(draft))


def chip_before(line: str, column: int) -> int | None:
    """Column at which the chip starts that ends at ``column``, or None."""
    for match in CHIP.finditer(line):
        if match.end() == column:
            return match.start()
    return None
