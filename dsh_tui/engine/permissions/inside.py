"""What a command runs besides itself, and how much of it a rule has to spell out.

Found by `wrappers` (commands whose purpose is to run another) and `programs` (commands that can be
told to). Source: design §4 (``permissions test``: wrappers never hide a denied command).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.reading import read

EVERYTHING: Final = 1_000_000
"""``spelled`` of what no rule can spell out."""
MOST_STARTS: Final = 30
"""Words that are taken for the beginning of an inner command; further ones are a doubt like others."""


@dataclass(frozen=True, slots=True)
class Inside:
    """The commands that one command runs."""

    commands: tuple[SimpleCommand, ...] = ()
    """What deny and ask rules look at as well."""
    spelled: int = 0
    """So many leading words an allow rule must spell out to cover the command."""
    begins: int = 0
    """Where the one inner command begins among the words, if it is among them."""
    transparent: bool = False
    """The one inner command runs as it would alone: whoever allows it allows this."""
    offered: bool = False
    """A rule for just this command may be offered all the same: running others is its everyday use."""
    doubt: str = ""
    """Why there may be more inside than ``commands``."""


def names(text: str) -> frozenset[str]:
    """The words of ``text`` as a set: a table that can be read."""
    return frozenset(text.split())


def script(word: Word, spelled: int) -> Inside:
    """What a shell makes of a word that is itself a command line."""
    if not word.literal:
        return Inside(spelled=EVERYTHING, doubt="a script that is put together when it runs")
    line = read(word.text)
    return Inside(line.commands, spelled, doubt=line.doubt)


def joined(words: Sequence[Word], spelled: int) -> Inside:
    """What a shell makes of words that it joins to one command line."""
    return script(Word(" ".join(word.text for word in words), all(word.literal for word in words)), spelled)


def suffixes(words: Sequence[Word], doubt: str) -> Inside:
    """Every word that could be the beginning of the inner command is taken for one."""
    starts = [at for at in range(1, len(words)) if words[at].literal and not words[at].text.startswith("-")]
    commands = tuple(SimpleCommand(tuple(words[at:])) for at in starts[:MOST_STARTS])
    return Inside(commands, EVERYTHING, doubt=doubt)
