"""Where ``git commit`` and ``git tag`` take their message from: words of the line, or what they read.

An option counts only where it certainly is one, and not the value of the one before it: ``-F -m x`` has
no message. Source: manuals of git-commit, git-tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.permissions.command_line import Word
from dsh_tui.engine.permissions.inside import names


@dataclass(frozen=True, slots=True)
class _Options:
    """What is known of a subcommand's options; whatever is not ends the look."""

    flags: frozenset[str]
    values: frozenset[str]
    short: re.Pattern[str]
    """Letters in one word: flags, and perhaps one that takes a value, with the value or without."""


_OPTIONS: Final = {
    "commit": _Options(
        names(
            "--all --allow-empty --allow-empty-message --amend --dry-run --edit --no-edit --no-gpg-sign "
            "--no-signoff --no-verify --only --quiet --reset-author --signoff --verbose"
        ),
        names("--author --cleanup --date --file --fixup --message --squash --trailer"),
        re.compile(r"-[aenoqsv]*(?:([CFcm])(.*)|[Su].*)?", re.DOTALL),
    ),
    "tag": _Options(
        names("--annotate --edit --force --sign"),
        names("--cleanup --file --local-user --message"),
        re.compile(r"-[aefs]*(?:([Fmu])(.*))?", re.DOTALL),
    ),
}


@dataclass(frozen=True, slots=True)
class Message:
    """What is certain about a message."""

    places: frozenset[int] = frozenset()
    """Words that are one, whatever they become."""
    is_read: bool = False
    """It is what the command reads, which nothing else can get at then: no editor, and no question."""


def message_of(words: tuple[Word, ...]) -> Message:
    """The message of a ``git`` command; empty for one that is not known to take any."""
    options = _OPTIONS.get(words[1].text) if len(words) > 1 and words[1].literal else None
    if options is None:
        return Message()
    places: set[int] = set()
    is_read, at = False, 2
    while at < len(words) and words[at].literal and words[at].text != "--":
        taken = _option(options, words[at].text)
        if taken is None:
            return Message(frozenset(places))
        name, value = taken
        at += 1
        if name and value is None and at < len(words):
            if not (words[at].literal or words[at].is_one):
                break
            if name in ("-m", "--message"):
                places.add(at)
            value = words[at].text if words[at].literal else None
            at += 1
        is_read |= name in ("-F", "--file") and value == "-"
    is_known = at >= len(words) or words[at].literal
    return Message(frozenset(places), is_read and is_known)


def _option(options: _Options, text: str) -> tuple[str, str | None] | None:
    """An option that takes a value, and the value that is in its word; no name for anything else.

    None if it is not known what it takes.
    """
    if not text.startswith("-") or text == "-":
        return "", None
    name, equals, value = text.partition("=")
    if text.startswith("--"):
        if name in options.values:
            return name, value if equals else None
        return ("", None) if text in options.flags else None
    short = options.short.fullmatch(text)
    if short is None:
        return None
    return (f"-{short[1]}", short[2] or None) if short[1] else ("", None)
