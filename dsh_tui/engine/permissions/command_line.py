"""A command line as rules see it: simple commands made of words, and what surrounds them.

Only what a text says is here; what the words expand to is known for literal ones alone.
Source: design §3.15.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.base.visible import exact_line


class NotUnderstood(Exception):
    """What bash would make of a text is not certain; the message says from which thing on."""


DESCRIPTOR_OPERATORS: Final = frozenset({">&", "<&"})
"""Redirects between descriptors, when their target is a number or ``-``."""
_DESCRIPTOR = re.compile(r"-|[0-9]+-?")
"""No other digits: ``>&٣`` is a file."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quote removal."""

    text: str
    """The word; of one that is not literal, what it certainly begins with."""
    literal: bool = True
    """False: expansions or globs decide what, and how many words, it becomes."""
    is_one: bool = False
    """Of one that is not literal: it becomes exactly one word, since all that expands is in double quotes."""

    def show(self) -> str:
        """The word in a sentence: its invisible characters can be seen."""
        return exact_line(self.text if self.literal else f"{self.text}…")

    def can_be_option(self) -> bool:
        """True if it is, or may turn into, a word that begins with a dash."""
        return self.text.startswith("-") or (not self.literal and not self.text)


UNKNOWN: Final = Word("", literal=False)
"""Any words, or none."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """``>file`` and its kin, without the descriptor in front."""

    operator: str
    target: Word

    def show(self) -> str:
        return self.operator + self.target.show()

    @property
    def is_document(self) -> bool:
        """Whether it is the beginning of a here-document; the target is the word that ends it."""
        return self.operator in ("<<", "<<-")

    def between_descriptors(self) -> bool:
        is_pair = self.operator in DESCRIPTOR_OPERATORS and self.target.literal
        return is_pair and _DESCRIPTOR.fullmatch(self.target.text) is not None


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """The words of one command; the first one, if literal, says which."""

    words: tuple[Word, ...]

    @property
    def name(self) -> str | None:
        """The name as written, with its folder; None if an expansion decides it."""
        return self.words[0].text if self.words and self.words[0].literal else None

    @property
    def program(self) -> str | None:
        """The name without its folder."""
        return None if self.name is None else self.name.rpartition("/")[2]

    def show(self) -> str:
        """The beginning of the command, for a sentence."""
        shown = " ".join(word.show() for word in self.words[:3])
        return shown if len(shown) <= 60 else shown[:59] + "…"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Everything that a text for ``bash -c`` would run by itself."""

    commands: tuple[SimpleCommand, ...] = ()
    """Of pipelines, lists, groups and substitutions alike, in order."""
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[str, ...] = ()
    """Names that are set: in front of a command, alone, or by a loop."""
    fed: tuple[SimpleCommand | None, ...] = ()
    """What reads a here-document, or may through a pipe; None: not one simple command."""
    expands: bool = False
    """A here-document is more than literal text."""
    doubt: str = ""
    """Why the line is not understood in full; then ``commands`` is only what was found."""
