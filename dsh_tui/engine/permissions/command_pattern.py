"""The pattern of a ``bash`` rule: the leading words of one simple command.

Whole words, compared after quote removal on both sides; a last `` *`` lets more follow, or none.
Source: design §4 (``permissions test``).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.reader import Reader

Match: TypeAlias = Literal["yes", "maybe", "no"]
MORE: Final = " *"
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """Words to compare a command with."""

    words: tuple[str, ...]
    more: bool
    """True: further words may follow."""

    @property
    def text(self) -> str:
        """The pattern as `read_pattern` reads it."""
        return shlex.join(self.words) + (MORE if self.more else "")

    def is_exactly(self, words: Sequence[Word]) -> bool:
        """True if the pattern certainly covers a command with these words, name as written."""
        leading = words[: len(self.words)]
        return (
            len(leading) == len(self.words)
            and all(word.literal and word.text == own for word, own in zip(leading, self.words, strict=True))
            and (self.more or len(words) == len(self.words))
        )

    def compare(self, command: SimpleCommand, cwd: Path) -> Match:
        """Whether the command is one of these; the folder in front of its name does not matter."""
        for at, own in enumerate(self.words):
            if at >= len(command.words):
                return "no"
            word = command.words[at]
            if not word.literal:
                return "maybe" if own.startswith(word.text) or (at == 0 and "/" in word.text) else "no"
            if at == 0:
                named = _named(own, word.text, cwd)
                if named != "yes":
                    return named
            elif word.text != own:
                return "no"
        rest = command.words[len(self.words) :]
        if self.more or not rest:
            return "yes"
        return "maybe" if all(not word.literal and not word.text for word in rest) else "no"


@lru_cache(maxsize=1024)
def read_pattern(text: str) -> CommandPattern:
    """The pattern that ``text`` writes out.

    Raises:
        ValueError: it is none; the message is one clause that says why.
    """
    if _CONTROL.search(text):
        raise ValueError("it has control characters")
    more = text.endswith(MORE)
    line = Reader(text.removesuffix(MORE) if more else text).read()
    if line.doubt:
        raise ValueError(f"it has {line.doubt}")
    if line.assignments:
        raise ValueError("an assignment in front of a command can't be part of a rule")
    if line.redirects:
        raise ValueError("a redirect can't be part of a rule")
    if not line.commands:
        raise ValueError("it names no command")
    if len(line.commands) > 1:
        raise ValueError("a rule is about one simple command; write one rule for each")
    words = line.commands[0].words
    if odd := next((word for word in words if not word.literal), None):
        raise ValueError(
            f"what follows {odd.text!r} is not literal; quote it, or end the pattern in ` *`"
            if odd.text
            else "only its end may be ` *`; quote characters such as * ? [ $ ~ that are meant literally"
        )
    if not words[0].text:
        raise ValueError("it names no command")
    return CommandPattern(tuple(word.text for word in words), more)


def _named(own: str, name: str, cwd: Path) -> Match:
    """Whether a command's name means the program that a rule names."""
    base = name.rpartition("/")[2]
    if own == name or ("/" not in own and own == base):
        return "yes"
    if "/" not in own or own.rpartition("/")[2] != base:
        return "no"
    return "yes" if os.path.realpath(cwd / own) == os.path.realpath(cwd / name) else "maybe"
