"""The words of a title: one line, no control characters, and a fallback short enough for a list.

Source: core spec §10 (Titles).
"""

from __future__ import annotations

import unicodedata

from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session.session import Session

MOST_WORDS = 5
MOST_BYTES = 40
MOST_BYTES_GIVEN = 200
MOST_BYTES_WRITTEN = 80
_AROUND = " \t\"'`*_#.“”‘’「」《》。"
"""What models put around a title although they were asked not to."""

_GOES_ON = " ,;:、，；："
"""What promises more words than a cut title has."""


def clean_title(text: str) -> str:
    """One line of printable text, blanks collapsed; may be empty."""
    printable = "".join(
        " " if character.isspace() else character for character in text if _is_harmless(character)
    )
    return " ".join(printable.split())


def fallback_title(text: str) -> str:
    """The first words: five at most, and at most 40 bytes of UTF-8, cut between characters."""
    words = _cut(" ".join(clean_title(text).split()[:MOST_WORDS]), MOST_BYTES)
    return words.rstrip(_GOES_ON) or words


def written_title(text: str) -> str:
    """A model's answer as a title: its first line with words, bare, 80 bytes at most; may be empty."""
    lines = (clean_title(line).strip(_AROUND) for line in text.splitlines())
    return _cut(next(filter(None, lines), ""), MOST_BYTES_WRITTEN)


def rename(session: Session, title: str) -> Event:
    """Log the user's own title, in the open turn or in one of its own.

    Raises:
        ValueError: nothing printable is left of it.
    """
    cleaned = _cut(clean_title(title), MOST_BYTES_GIVEN)
    if not cleaned:
        raise ValueError("a title needs at least one printable character")
    return append_idle(session, "session-title", "session/title", {"title": cleaned, "source": "user"})


def _is_harmless(character: str) -> bool:
    # Cc: control characters; Cf: direction overrides and the like; Cs: half surrogate pairs.
    return character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def _cut(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore").rstrip()
